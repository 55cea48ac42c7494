import type { PageFeature } from "../../actions/page-feature.ts";
import { addFilterWord } from "../../tree/tree-filter.ts";
import { lazyPart } from "../../ui/lazy-view.tsx";
import { matchesTag } from "./tags-store.ts";

export const tagsFeature: PageFeature = {
  ProcessSection: lazyPart(async () => (await import("./tags-section.tsx")).TagsSection),
  start: () => addFilterWord(matchesTag),
};
