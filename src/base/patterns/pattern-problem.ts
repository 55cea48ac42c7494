import { shortened } from "../text/text-length.ts";

/** Maximum number of characters of a pattern in a message. */
const MAX_SHOWN = 80;

/** The words of a message for one use of regular expressions. */
export interface PatternUse {
  /** The owner of these regular expressions, such as "a search". */
  readonly of: string;
  /** The advice in place of the refused part, such as "search for plain text without -E". */
  readonly instead: string;
}

type Remedy = (use: PatternUse) => string;
const hasNone: Remedy = ({ of, instead }) => `Regular expressions of ${of} run in linear time and have none. Leave it out, or ${instead}`;

/** Constructs of other engines that RE2 does not have, by what its message shows of them. */
const CONSTRUCTS: readonly (readonly [begin: RegExp, name: string, remedy: Remedy])[] = [
  [/^\(\?<?[=!]/, "look-around", hasNone],
  [/^\\[1-9k]/, "a back-reference", hasNone],
  [/^[*+?}]\+/, "a possessive quantifier", ({ of }) => `Remove the second +: no pattern of ${of} backtracks`],
  [/^\(\?>/, "an atomic group", ({ of }) => `Write (?:…): no pattern of ${of} backtracks`],
  [
    /^[*+?{]/,
    "a quantifier of a quantifier, or one without anything before it",
    () => "To search for this character itself, write \\ before it",
  ],
  [/^\{/, "a repeat count that is too large", () => "At most 1000 repetitions are possible, those of nested ones multiplied"],
];

/** Why a regular expression is refused, and what to do. `part` is the refused part as the engine shows it. */
export function patternProblem(description: string, part: string, use: PatternUse): string {
  const isCount = description.includes("repeat count") || description.includes("repeat size");
  const found = isCount ? CONSTRUCTS.at(-1) : CONSTRUCTS.find(([begin]) => begin.test(part));
  const shown = shortened(part, MAX_SHOWN);
  if (found !== undefined) return `the pattern has ${found[1]}: '${shown}'. ${found[2](use)}`;
  return `the pattern cannot be read: ${description}${part === "" ? "" : `, at '${shown}'`}. Correct it, or ${use.instead}`;
}
