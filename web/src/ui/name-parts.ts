/** Number of characters at the end of a name that stay when it is shortened. */
const TAIL = 9;
/** The tail is the last word of a name, if its length is within these limits, characters. */
const MIN_WORD_LENGTH = 3;
const MAX_WORD_LENGTH = 14;

interface NameParts {
  /** The groups, without the last slash; "" if there are none. */
  groups: string;
  /** The process's own name in two parts: the end of the first one is cut if there is no room. */
  head: string;
  tail: string;
}

/** The parts of a name in which it is shortened: the groups first, then the middle of the process's own name. */
export function nameParts(name: string): NameParts {
  const slash = name.lastIndexOf("/");
  const own = name.slice(slash + 1);
  const word = own.length - Math.max(...["_", "-", "."].map((separator) => own.lastIndexOf(separator)));
  const tail = word > MIN_WORD_LENGTH && word <= MAX_WORD_LENGTH ? word : TAIL;
  const cut = Math.max(0, own.length - tail);
  return { groups: name.slice(0, Math.max(0, slash)), head: own.slice(0, cut), tail: own.slice(cut) };
}
