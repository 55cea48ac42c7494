import { ImportFailure } from "../../model/failure.ts";
import type { Place } from "../../model/tree.ts";

export interface IniEntry {
  readonly place: Place;
  readonly value: string;
}

export interface IniSection {
  readonly name: string;
  readonly place: Place;
  /** Options by their names in small letters. */
  readonly entries: ReadonlyMap<string, IniEntry>;
}

/** Where an inline comment may begin, as supervisord configures Python's parser. */
const INLINE_COMMENT = /(?:^|\s)[;#]/;

/**
 * Reads an INI file as Python's configparser does with supervisord's settings: `;` and `#` begin comments, at the beginning of a line or
 * behind a blank; deeper indented lines continue a value; a later option or section of the same name adds to the former one. Values of
 * [DEFAULT] count in each section. Throws ImportFailure.
 */
export function parseIni(text: string, file: string): IniSection[] {
  const reader: Reader = { sections: new Map(), section: null, lines: null, indent: 0 };
  // Python reads a text file with each kind of line end.
  for (const [index, line] of text.split(/\r\n|\r|\n/).entries()) {
    const comment = commentStart(line);
    const value = (comment === null ? line : line.slice(0, comment)).trim();
    if (value === "") {
      // An empty line without a comment belongs to the value before it.
      if (comment === null) reader.lines?.push("");
      continue;
    }
    const indent = /\S/.exec(line)?.index ?? 0;
    if (reader.lines !== null && indent > reader.indent) {
      reader.lines.push(value);
      continue;
    }
    reader.indent = indent;
    readLine(value, { file, line: index + 1 }, reader);
  }
  const defaults = reader.sections.get("DEFAULT")?.options ?? new Map<string, Option>();
  reader.sections.delete("DEFAULT");
  return [...reader.sections].map(([name, { place, options }]) => ({
    name,
    place,
    entries: new Map([...defaults, ...options].map(([option, { lines, place }]) => [option, { place, value: lines.join("\n").trimEnd() }])),
  }));
}

interface Option {
  readonly place: Place;
  readonly lines: string[];
}

interface Section {
  readonly place: Place;
  readonly options: Map<string, Option>;
}

interface Reader {
  readonly sections: Map<string, Section>;
  section: Section | null;
  /** Lines of the value that is being read; null: none. */
  lines: string[] | null;
  /** Indentation of its first line. */
  indent: number;
}

function readLine(value: string, place: Place, reader: Reader): void {
  const header = /^\[(.+)\]/.exec(value)?.[1];
  if (header !== undefined) {
    reader.section = reader.sections.get(header) ?? { place, options: new Map() };
    reader.sections.set(header, reader.section);
    reader.lines = null;
    return;
  }
  const where = `${place.file}:${place.line}`;
  if (reader.section === null) throw new ImportFailure(`${where}: '${value}' is before the first [section]`);
  const [, option = "", first = ""] = /^(.*?)\s*[=:]\s*(.*)$/.exec(value) ?? [];
  if (option === "") throw new ImportFailure(`${where}: '${value}' is neither [section] nor option = value`);
  reader.lines = [first.trim()];
  reader.section.options.set(option.trimEnd().toLowerCase(), { place, lines: reader.lines });
}

function commentStart(line: string): number | null {
  if (/^\s*[;#]/.test(line)) return 0;
  const match = INLINE_COMMENT.exec(line);
  return match === null ? null : match.index + match[0].length - 1;
}
