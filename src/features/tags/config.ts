import type { ConfigFeature } from "../../config/config-feature.ts";
import { listOf, orNull } from "../../config/schema/schema-kinds.ts";
import { tag } from "./tag.ts";

const shared = {
  tags: orNull(
    "Words that select processes in commands (mgr start tag:sim), in the tree of the page and in rules of notifications. The last of 'defaults', templates and the process counts.",
    listOf("tags", tag),
  ),
};

/** The part of a process's definition about tags. */
type TagsDefinition = { readonly tags: readonly string[] };

export const tagsConfig = {
  shared,
  appliedAtOnce: ["tags"],
  resolveProcess: ({ tags }: { tags: readonly string[] | null }): TagsDefinition => ({ tags: [...new Set(tags)] }),
  describeProcess: ({ tags }: TagsDefinition) => ({ tags: tags.length === 0 ? null : tags }),
} satisfies ConfigFeature;
