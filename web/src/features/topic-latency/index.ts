import type { PageFeature } from "../../actions/page-feature.ts";
import { lazyPart } from "../../ui/lazy-view.tsx";
import { addTopicPart } from "../data-plane/public.ts";

/** Measures the latency of a topic in its panel. */
export const topicLatencyFeature: PageFeature = {
  start: () => addTopicPart(lazyPart(async () => (await import("./latency-section.tsx")).LatencySection)),
};
