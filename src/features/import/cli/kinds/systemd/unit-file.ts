import type { Place } from "../../model/tree.ts";

export interface UnitLine {
  readonly section: string;
  readonly key: string;
  readonly value: string;
  readonly place: Place;
}

export interface UnitProblem {
  readonly place: Place;
  readonly text: string;
}

/**
 * Reads a unit file as systemd.syntax(7) describes it: a backslash at the end of a line continues it with a blank, and comments between
 * such lines are skipped. Lines that are no assignments are problems, which systemd ignores too.
 */
export function parseUnit(text: string, file: string): { lines: UnitLine[]; problems: UnitProblem[] } {
  const lines: UnitLine[] = [];
  const problems: UnitProblem[] = [];
  let section = "";
  let continued: { text: string; line: number } | null = null;
  for (const [index, raw] of text.split(/\r?\n/).entries()) {
    const trimmed = raw.trim();
    if (/^[#;]/.test(trimmed)) continue;
    const joined: { text: string; line: number } = { text: `${continued?.text ?? ""}${raw}`, line: continued?.line ?? index + 1 };
    if (raw.endsWith("\\")) {
      continued = { ...joined, text: `${joined.text.slice(0, -1)} ` };
      continue;
    }
    continued = null;
    const place = { file, line: joined.line };
    const content = joined.text.trim();
    if (content === "") continue;
    const header = /^\[(.+)\]$/.exec(content)?.[1];
    const [, key = "", value = ""] = /^([^=]+?)\s*=\s*(.*)$/s.exec(content) ?? [];
    if (header !== undefined) section = header;
    else if (key === "" || section === "") problems.push({ place, text: content });
    else lines.push({ section, key, value, place });
  }
  return { lines, problems };
}
