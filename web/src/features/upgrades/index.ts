import type { PageFeature } from "../../actions/page-feature.ts";
import { lazyPart } from "../../ui/lazy-view.tsx";

export const upgradesFeature: PageFeature = {
  OverviewSection: lazyPart(async () => (await import("./upgrade-section.tsx")).UpgradeSection),
};
