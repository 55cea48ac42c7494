import type { PageFeature } from "../../actions/page-feature.ts";
import { lazyPart } from "../../ui/lazy-view.tsx";

export const ports: PageFeature = {
  ProcessFact: lazyPart(async () => (await import("./ports-fact.tsx")).PortsFact),
  ProcessSection: lazyPart(async () => (await import("./ports-section.tsx")).PortsSection),
};
