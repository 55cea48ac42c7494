/** Repetitions beyond this are refused by RE2. */
const MAX_REPEAT = 1_000;
/** White space of JavaScript, which has more of it than RE2. */
const SPACE = String.raw`\t\n\v\f\r \x{a0}\x{1680}\x{2000}-\x{200a}\x{2028}\x{2029}\x{202f}\x{205f}\x{3000}\x{feff}`;
const NOT_LINE_END = String.raw`[^\n\r\x{2028}\x{2029}]`;
const ANY = "(?s:.)";
const TOKEN =
  /\\u\{([\da-f]{1,6})\}|\\u([\da-f]{4})|\\x([\da-f]{2})|\\c([a-z])|\\([\s\S])|\{(\d+)(?:,(\d*))?\}|\((\?(?:<?[=!]|<[^>]*>|:|[\s\S]))?|(\[)|([\s\S])/giu;

/**
 * The same regular expression in the syntax of RE2. null: RE2 does not have all of it, or means something else by it (look-around,
 * back-references, properties of Unicode, flags).
 */
export function re2SyntaxOf({ source, flags }: RegExp): string | null {
  if (/[^gsuyd]/.test(flags)) return null;
  const dot = flags.includes("s") ? ANY : NOT_LINE_END;
  const tokens = new RegExp(TOKEN);
  let translated = "";
  for (let token = tokens.exec(source); token !== null; token = tokens.exec(source)) {
    const [whole, , , , , , least, most, group, bracket, plain] = token;
    const part =
      bracket !== undefined
        ? classFrom(source, tokens)
        : least !== undefined
          ? repetition(whole, least, most)
          : plain !== undefined
            ? plainOf(plain, dot)
            : whole.startsWith("(")
              ? groupOf(group)
              : escapeOf(token, false);
    if (part === null) return null;
    translated += part;
  }
  return translated;
}

function plainOf(character: string, dot: string): string {
  if (character === ".") return dot;
  if (character === "^") return String.raw`\A`;
  if (character === "$") return String.raw`\z`;
  return "*+?|)".includes(character) ? character : literal(character);
}

function groupOf(group: string | undefined): string | null {
  if (group === undefined || group.startsWith("?<")) return group === undefined || group.endsWith(">") ? "(" : null;
  return group === "?:" ? "(?:" : null;
}

function repetition(whole: string, least: string, most: string | undefined): string | null {
  return Number(least) > MAX_REPEAT || Number(most ?? 0) > MAX_REPEAT ? null : whole;
}

const literal = (character: string): string => code(character.codePointAt(0) ?? 0);
const code = (point: number): string => `\\x{${point.toString(16)}}`;

/** An escape of one character or of a class, in a class or outside of it. */
function escapeOf([, braces, four, two, control, one = ""]: RegExpExecArray | string[], isInClass: boolean): string | null {
  const hex = braces ?? four ?? two;
  if (hex !== undefined) {
    const point = Number.parseInt(hex, 16);
    return point >= 0xd800 && point < 0xe000 ? null : code(point);
  }
  if (control !== undefined) return code((control.codePointAt(0) ?? 0) % 32);
  if ("dDwW".includes(one)) return `\\${one}`;
  if (one === "s") return isInClass ? SPACE : `[${SPACE}]`;
  if (one === "S") return isInClass ? null : `[^${SPACE}]`;
  // Not \B: JavaScript's engine also finds it between the two halves of a character.
  if (one === "b") return isInClass ? code(8) : String.raw`\b`;
  const controls: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13, 0: 0 };
  const known = controls[one];
  if (known !== undefined) return code(known);
  return /[\da-z]/i.test(one) ? null : literal(one);
}

/** A class, from behind its bracket on. `tokens` is moved behind its end. */
function classFrom(source: string, tokens: RegExp): string | null {
  const isNegated = source[tokens.lastIndex] === "^";
  if (isNegated) tokens.lastIndex++;
  const parts = /\\u\{([\da-f]{1,6})\}|\\u([\da-f]{4})|\\x([\da-f]{2})|\\c([a-z])|\\([\s\S])|([\s\S])/giu;
  parts.lastIndex = tokens.lastIndex;
  let translated = "";
  for (let part = parts.exec(source); part !== null; part = parts.exec(source)) {
    const [, , , , , , plain] = part;
    if (plain === "]") {
      tokens.lastIndex = parts.lastIndex;
      if (translated === "") return isNegated ? ANY : null;
      return `[${isNegated ? "^" : ""}${translated}]`;
    }
    const isRange = plain === "-" && translated !== "" && source[parts.lastIndex] !== "]";
    const shown = plain === undefined ? escapeOf(part, true) : isRange ? "-" : literal(plain);
    if (shown === null) return null;
    translated += shown;
  }
  return null;
}
