import { plainText } from "../../base/output-filter.ts";

/** Characters of a last line that are worth showing. */
const MAX_CHARACTERS = 300;

/** The last line of some terminal output that says something, as plain text; "" if none does. */
export function lastLine(output: string): string {
  // What a carriage return begins is written over what was there, as progress bars do it.
  const lines = plainText(output)
    .split(/[\r\n]+/)
    .map((line) => line.replace(/\s+/g, " ").trim());
  return (lines.findLast((line) => line !== "") ?? "").slice(0, MAX_CHARACTERS);
}
