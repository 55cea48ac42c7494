/** Thrown for a text that cannot be expanded; the message is a sentence without a subject. */
export class ExpansionProblem extends Error {}
/** Thrown for definitions that need each other. */
export class CircularProblem extends ExpansionProblem {}

/** Maximum length of an expanded text, characters: definitions that use each other may double it again and again. */
const MAX_LENGTH = 1_048_576;
const MAX_NESTING = 20;

/**
 * Replaces `${NAME}` and `${NAME:-default}` by the value from `lookup`, and `$$` by a dollar; any other dollar stays. As in
 * sh, a default stands in for an empty value, too, and may hold further expansions. Throws ExpansionProblem.
 */
export function expandText(text: string, lookup: (name: string) => string | undefined): string {
  const reader = { text, at: 0 };
  return expandUntilEnd(reader, lookup, 0);
}

interface Reader {
  readonly text: string;
  at: number;
}

type Lookup = (name: string) => string | undefined;

/** Expands up to the end of the text, or within `${…:-` (depth above 0) up to the brace that closes it. */
function expandUntilEnd(reader: Reader, lookup: Lookup, depth: number): string {
  if (depth > MAX_NESTING) throw new ExpansionProblem(`nests more than ${MAX_NESTING} expansions`);
  const { text } = reader;
  let result = "";
  const add = (piece: string) => {
    result += piece;
    if (result.length > MAX_LENGTH) throw new ExpansionProblem(`expands to more than ${MAX_LENGTH} characters`);
  };
  while (reader.at < text.length) {
    const plain = depth === 0 ? text.indexOf("$", reader.at) : nextOf(text, reader.at);
    if (plain !== reader.at) {
      add(text.slice(reader.at, plain < 0 ? text.length : plain));
      reader.at = plain < 0 ? text.length : plain;
    } else if (text[reader.at] === "}") {
      return result;
    } else if (text.startsWith("$$", reader.at)) {
      add("$");
      reader.at += 2;
    } else if (text.startsWith("${", reader.at)) {
      add(expandBraces(reader, lookup, depth));
    } else {
      add("$");
      reader.at++;
    }
  }
  // biome-ignore lint/suspicious/noTemplateCurlyInString: this is how it is written in the file.
  if (depth > 0) throw new ExpansionProblem("has a '${' without a closing '}'; write '$${' for a literal '${'");
  return result;
}

function expandBraces(reader: Reader, lookup: Lookup, depth: number): string {
  const { text } = reader;
  const match = /^[A-Za-z_][A-Za-z0-9_]*/.exec(text.slice(reader.at + 2, reader.at + 258));
  const name = match?.[0] ?? "";
  const after = reader.at + 2 + name.length;
  if (name !== "" && text[after] === "}") {
    reader.at = after + 1;
    const value = lookup(name);
    if (value === undefined) {
      throw new ExpansionProblem(
        `'${name}' is not defined: add it to 'defines', set it in the manager's environment, or write \${${name}:-default}`,
      );
    }
    return value;
  }
  if (name === "" || !text.startsWith(":-", after)) {
    const shown = text.slice(reader.at, reader.at + 20);
    throw new ExpansionProblem(
      `has '${shown}', which is neither \${NAME} nor \${NAME:-default}; write '$$' for a literal dollar sign, for example for a shell`,
    );
  }
  reader.at = after + 2;
  const value = lookup(name);
  const isSet = value !== undefined && value !== "";
  // An undefined variable in an unused default is not a problem.
  const fallback = expandUntilEnd(reader, isSet ? () => "" : lookup, depth + 1);
  reader.at++;
  return isSet ? value : fallback;
}

const SPECIAL = /[$}]/g;

/** Index of the next dollar or closing brace, or -1. */
function nextOf(text: string, from: number): number {
  SPECIAL.lastIndex = from;
  return SPECIAL.exec(text)?.index ?? -1;
}
