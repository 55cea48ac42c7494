import { nameParts } from "./name-parts.ts";

/**
 * A name of groups and process, on one line. Where it has no room, the groups are cut first, and then the middle of the process's own name:
 * what tells it from its neighbours is often its end. Not for screen readers, which would read its parts one by one: put the name into the
 * label of what is around it.
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
