import { shortened } from "../../../../base/text-length.ts";

/** Maximum number of characters of a pattern in a message. */
const MAX_SHOWN = 80;
const OMIT = "Leave it out, or search for plain text without -E and filter the result";

/** Constructs of other engines that RE2 does not have, by what its message shows of them. */
const CONSTRUCTS: readonly (readonly [begin: RegExp, name: string, remedy: string])[] = [
  [/^\(\?<?[=!]/, "look-around", `Regular expressions of a search run in linear time and have none. ${OMIT}`],
  [/^\\[1-9k]/, "a back-reference", `Regular expressions of a search run in linear time and have none. ${OMIT}`],
  [/^[*+?}]\+/, "a possessive quantifier", "Remove the second +: no pattern of a search backtracks"],
  [/^\(\?>/, "an atomic group", "Write (?:…): no pattern of a search backtracks"],
  [/^[*+?{]/, "a quantifier of a quantifier, or one without anything before it", "To search for this character itself, write \\ before it"],
  [/^\{/, "a repeat count that is too large", "At most 1000 repetitions are possible, those of nested ones multiplied"],
];

/** Why a regular expression is refused, and what to do. `part` is the refused part as the engine shows it. */
export function patternProblem(description: string, part: string): string {
  const isCount = description.includes("repeat count") || description.includes("repeat size");
  const found = isCount ? CONSTRUCTS.at(-1) : CONSTRUCTS.find(([begin]) => begin.test(part));
  const shown = shortened(part, MAX_SHOWN);
  if (found !== undefined) return `the pattern has ${found[1]}: '${shown}'. ${found[2]}`;
  return `the pattern cannot be read: ${description}${part === "" ? "" : `, at '${shown}'`}. Correct it, or search for plain text without -E`;
}
