import { addGroupSummary } from "../../actions/group-summary.ts";
import type { PageFeature } from "../../actions/page-feature.ts";
import { Dots } from "./dots.tsx";
import { setOf } from "./replicas-store.ts";
import { ScaleButtons } from "./scale-buttons.tsx";

export const replicasFeature: PageFeature = {
  GroupButton: ScaleButtons,
  start: () => addGroupSummary({ applies: (name) => setOf(name) !== undefined, Summary: Dots }),
};
