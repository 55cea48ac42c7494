import { TAG_PREFIX } from "../../../../src/features/tags/tag-word.ts";
import type { PageFeature } from "../../actions/page-feature.ts";
import { addArrangement } from "../../tree/arrangement.ts";
import { addFilterWord } from "../../tree/tree-filter.ts";
import { lazyPart } from "../../ui/lazy-view.tsx";
import { tags, tagTest } from "./tags-store.ts";

export const tagsFeature: PageFeature = {
  ProcessSection: lazyPart(async () => (await import("./tags-section.tsx")).TagsSection),
  start: () => {
    addFilterWord(tagTest);
    addArrangement({ prefix: TAG_PREFIX, word: "tag", rest: "No tags", headings: () => tags.value });
  },
};
