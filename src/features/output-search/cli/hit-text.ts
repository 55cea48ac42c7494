import { visible } from "../../../base/text/visible-text.ts";
import { coloured, paint } from "../../../cli/output/table.ts";
import type { OutputHit } from "../wire.ts";

/** Control sequences that show the match as grep does. */
const MATCH = "\x1b[1;31m";
const PLAIN = "\x1b[0m";

/** A hit as lines: `name: line`, and the lines around it as `name- line`. */
export function hitText({ name, line, is_cut, match: [start, end], before, after }: OutputHit): string {
  const around = (text: string) => `${paint("cyan", name)}- ${visible(text)}\n`;
  const cut = is_cut ? paint("grey", " (cut)") : "";
  const found = `${visible(line.slice(0, start))}${highlighted(visible(line.slice(start, end)))}${visible(line.slice(end))}${cut}`;
  return [...before.map(around), `${paint("cyan", name)}: ${found}\n`, ...after.map(around)].join("");
}

function highlighted(text: string): string {
  return coloured && text !== "" ? `${MATCH}${text}${PLAIN}` : text;
}
