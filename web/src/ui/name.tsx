import { nameParts } from "./name-parts.ts";

/**
 * A name of groups and process, on one line. If there is no room, the groups are cut first, and then the middle of the process's own name, since
 * similar names often differ at their end. Not for screen readers, which would read its parts one by one: the label of the surrounding element
 * has to contain the name.
 */
export function Name({ name }: { name: string }) {
  const { groups, head, tail } = nameParts(name);
  return (
    <span class="whole-name">
      {groups !== "" && <span class="path">{groups}</span>}
      <span class="own-name">
        {groups !== "" && <span class="path">/</span>}
        {head !== "" && <span class="own-head">{head}</span>}
        <span class="own-tail">{tail}</span>
      </span>
    </span>
  );
}
