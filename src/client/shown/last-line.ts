import { plainText } from "../../base/patterns/output-filter.ts";

/** Maximum length of a last line, characters. */
const MAX_CHARACTERS = 300;

/** The last line that Node prints after an uncaught error, its stack and its fields. */
const NODE_END = /^(Node\.js v\d+\.\d+\.\d+|\(Use `node --trace-)/;
/** `TypeError: …`, `AssertionError [ERR_ASSERTION]: …`; any message that names an error begins its line. */
const ERROR = /^(Uncaught )?[\w$.]*(Error|Exception)\b/;

/**
 * The last meaningful line of terminal output, as plain text; "" if there is none. If Node reports an uncaught error, it is the line with
 * the error.
 */
export function lastLine(output: string): string {
  // Text after a carriage return overwrites the line, as progress bars do.
  const lines = plainText(output)
    .split(/[\r\n]+/)
    .map((line) => line.replace(/\s+/g, " ").trim());
  const isNode = NODE_END.test(lines.findLast((line) => line !== "") ?? "");
  const error = isNode ? lines.findLast((line) => ERROR.test(line)) : undefined;
  const last = error ?? lines.findLast((line) => line !== "" && !(isNode && NODE_END.test(line))) ?? "";
  return last.slice(0, MAX_CHARACTERS);
}
