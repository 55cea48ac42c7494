/** Characters at the end of a name that stay when the name itself has to be shortened. */
const TAIL = 9;

/**
 * A name of groups and process, on one line. Where it has no room, the groups are cut first, and then the middle of the process's own name:
 * what tells it from its neighbours is often its end. Not for screen readers, which would read its parts one by one: put the name into the
 * label of what is around it.
 */
export function Name({ name }: { name: string }) {
  const slash = name.lastIndexOf("/");
  const own = name.slice(slash + 1);
  const cut = Math.max(0, own.length - TAIL);
  return (
    <span class="whole-name">
      {slash >= 0 && <span class="path">{name.slice(0, slash)}</span>}
      <span class="own-name">
        {slash >= 0 && <span class="path">/</span>}
        {cut > 0 && <span class="own-head">{own.slice(0, cut)}</span>}
        <span class="own-tail">{own.slice(cut)}</span>
      </span>
    </span>
  );
}
