import type { PageFeature } from "../../actions/page-feature.ts";
import { lazyPart } from "../../ui/lazy-view.tsx";

export const forwardFeature: PageFeature = {
  OverviewSection: lazyPart(async () => (await import("./forwards-section.tsx")).ForwardsSection),
};
