import type { Process } from "../../../../src/protocol/resources/resources.ts";
import { filterTree } from "../../tree/tree-filter.ts";
import { Section } from "../../ui/detail-section.tsx";
import { tagsOf } from "./tags-store.ts";

/** The tags of a process: a click shows only processes with that tag in the tree. */
export function TagsSection({ process }: { process: Process }) {
  const tags = tagsOf(process.name);
  if (tags.length === 0) return null;
  return (
    <Section title="Tags">
      <p>
        {tags.map((tag) => (
          <button
            key={tag}
            type="button"
            class="chip"
            title={`Show only processes with the tag ${tag} in the tree`}
            onClick={() => filterTree(`tag:${tag}`)}
          >
            {tag}
          </button>
        ))}
      </p>
    </Section>
  );
}
