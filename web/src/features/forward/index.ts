import type { PageFeature } from "../../actions/page-feature.ts";
import { lazyPart } from "../../ui/lazy-view.tsx";

export const forwardFeature: PageFeature = {
  PortLink: lazyPart(async () => (await import("./port-link.tsx")).PortLink),
  OverviewSection: lazyPart(async () => (await import("./forwards-section.tsx")).ForwardsSection),
};
