import type { PageFeature } from "../../actions/page-feature.ts";
import { lazyPart } from "../../ui/lazy-view.tsx";
import { addTopicPart } from "../data-plane/public.ts";

/** Shows in the panel of a topic what hosts keep of it while their links are cut. */
export const storeForwardFeature: PageFeature = {
  start: () => addTopicPart(lazyPart(async () => (await import("./store-section.tsx")).StoreSection)),
};
