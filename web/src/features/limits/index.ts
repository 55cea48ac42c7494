import type { PageFeature } from "../../actions/page-feature.ts";
import { addAttentionSource } from "../../state/attention.ts";
import { lazyPart } from "../../ui/lazy-view.tsx";
import { reasonsOf } from "./limits-store.ts";

export const limitsFeature: PageFeature = {
  ProcessSection: lazyPart(async () => (await import("./limits-section.tsx")).LimitsSection),
  start: () => addAttentionSource(reasonsOf),
};
