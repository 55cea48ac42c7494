import { plainText } from "../../base/output-filter.ts";

/** Characters of a last line that are worth showing. */
const MAX_CHARACTERS = 300;

/** What Node prints last below what was thrown, its stack and its fields. */
const NODE_END = /^(Node\.js v\d+\.\d+\.\d+|\(Use `node --trace-)/;
/** `TypeError: …`, `AssertionError [ERR_ASSERTION]: …`; any message that names an error begins its line. */
const ERROR = /^(Uncaught )?[\w$.]*(Error|Exception)\b/;

/**
 * The last line of some terminal output that says something, as plain text; "" if none does. Where Node reports an uncaught error, that is the
 * line with the error.
 */
export function lastLine(output: string): string {
  // What a carriage return begins is written over what was there, as progress bars do it.
  const lines = plainText(output)
    .split(/[\r\n]+/)
    .map((line) => line.replace(/\s+/g, " ").trim());
  const isNode = NODE_END.test(lines.findLast((line) => line !== "") ?? "");
  const error = isNode ? lines.findLast((line) => ERROR.test(line)) : undefined;
  const last = error ?? lines.findLast((line) => line !== "" && !(isNode && NODE_END.test(line))) ?? "";
  return last.slice(0, MAX_CHARACTERS);
}
