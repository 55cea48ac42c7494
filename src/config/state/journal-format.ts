// The text of `intent.journal`: its header, and its lines.
import { basename, dirname, join } from "node:path";
import { z } from "zod";

/** The lines of a journal: a header, then one change each. */

const NEWLINE = 10;
const journalHeader = z.looseObject({ journal: z.string() });

/** Path of the journal: `intent.journal` beside `intent.json`. */
export function journalPath(path: string): string {
  return join(dirname(path), `${basename(path, ".json")}.journal`);
}

/** The first line of a journal, with the id of its snapshot. */
export function journalHeaderText(id: string): string {
  return `${JSON.stringify({ journal: id })}\n`;
}

/**
 * Returns the id and the changes of a journal; each change is a function that parses it. The last line may be torn by a crash in the middle of its
 * write: then it was never reported as saved, and is omitted. At other damage, this function or the change throws.
 */
export function readJournal(bytes: Buffer): { id: string; changes: (() => unknown)[] } {
  // A line without its end is torn, unless it has zeros: these replaced written data, perhaps whole lines.
  const lines = splitLines(bytes);
  const [header] = lines;
  if (header === undefined) throw new Error("it is empty");
  const { journal: id } = journalHeader.parse(parseLine(header));
  const last = lines.length > 1 ? lines.at(-1) : undefined;
  if (last !== undefined && endsWithLine(bytes) && !isReadable(last) && !last.includes(0)) lines.pop();
  return { id, changes: lines.slice(1).map((line) => () => parseLine(line)) };
}

function splitLines(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  for (let begin = 0, end = bytes.indexOf(NEWLINE); end !== -1; begin = end + 1, end = bytes.indexOf(NEWLINE, begin))
    lines.push(bytes.subarray(begin, end));
  const tail = bytes.subarray(bytes.lastIndexOf(NEWLINE) + 1);
  if (tail.includes(0)) lines.push(tail);
  return lines;
}

function endsWithLine(bytes: Buffer): boolean {
  return bytes.at(-1) === NEWLINE;
}

function isReadable(line: Buffer): boolean {
  try {
    parseLine(line);
    return true;
  } catch {
    return false;
  }
}

function parseLine(line: Buffer): unknown {
  if (line.includes(0)) throw new Error("it has zeros instead of text, as after a loss of power");
  return JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(line));
}
