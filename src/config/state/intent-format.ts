// The text of `intent.json` and of the changes in the journal: writing, reading, validation.
import { z } from "zod";
import { firstIssue, MgrError, messageOf } from "../../base/errors.ts";
import { nameAsDamaged, setAside } from "../../files/damaged-file.ts";
import { readStateBytes } from "../../files/state-file.ts";
import { journalPath, readJournal } from "./journal-format.ts";
import { type ProcessIntent, processIntent } from "./process-intent.ts";

/** Writes and reads the text of `intent.json` and of the changes in its journal. */

/** Version 2: later changes are in a journal. */
const VERSION = 2;
const counter = z.int().min(0).max(Number.MAX_SAFE_INTEGER);
// This is not a record: zod would drop a key `__proto__`.
const processes = z.custom<Record<string, unknown>>((value) => typeof value === "object" && value !== null && !Array.isArray(value));
const intentFile = z.looseObject({
  version: z.int().min(1),
  journal: z.string().exactOptional(),
  epoch: counter,
  last_log_id: counter,
  processes,
});
/** A line of the journal: the changed parts of the above. */
const intentChange = z.looseObject({ epoch: counter.exactOptional(), last_log_id: counter.exactOptional(), processes });

/** All fields except `processes`, including those of newer versions. */
export interface IntentHeader {
  version: number;
  /** Id of the journal that has the changes since; version 1 has none. */
  journal?: string;
  epoch: number;
  last_log_id: number;
}

export interface LoadedIntent {
  processes: Map<string, ProcessIntent>;
  rest: IntentHeader;
  warning: string | null;
  /** Whether there was no file, or a damaged one. */
  isNew: boolean;
}

/**
 * Reads the file and its journal, or returns a fresh intent if the file is missing or damaged (then both are set aside as `<path>.damaged-<n>`).
 * From a damaged journal it uses the changes before the damage.
 */
export async function loadIntent(path: string): Promise<LoadedIntent> {
  const bytes = await readStateBytes(path);
  const journal = await readStateBytes(journalPath(path));
  if (bytes === null) return fresh(null);
  let loaded: LoadedIntent;
  try {
    loaded = parseIntent(new TextDecoder("utf-8", { fatal: true }).decode(bytes), path);
  } catch (error) {
    if (error instanceof MgrError) throw error;
    const withJournal = journal === null ? "" : `, its journal to ${setAside(journalPath(path))}`;
    const aside = `${setAside(path)}${withJournal}`;
    return fresh(`${path} was damaged (${damageOf(error)}); it was renamed to ${aside}, and earlier start and stop requests are lost`);
  }
  if (journal !== null) replay(journal, loaded, journalPath(path));
  return { ...loaded, rest: { ...loaded.rest, version: VERSION } };
}

function fresh(warning: string | null): LoadedIntent {
  return { processes: new Map(), rest: { version: VERSION, epoch: 0, last_log_id: 0 }, warning, isNew: true };
}

function parseIntent(text: string, path: string): LoadedIntent {
  const { processes, ...rest } = intentFile.parse(JSON.parse(text));
  if (rest.version > VERSION) {
    throw new MgrError("conflict", `${path} was written by a newer mgr (file version ${rest.version}); use that mgr, or delete the file`);
  }
  return { processes: new Map(parseProcesses(processes)), rest, warning: null, isNew: false };
}

function parseProcesses(processes: Record<string, unknown>): [string, ProcessIntent][] {
  return Object.entries(processes).map(([name, intent]) => [name, processIntent.parse(intent)]);
}

/** Applies the journal of this intent. A journal with another id belongs to an earlier snapshot, and its changes are in this one. */
function replay(bytes: Buffer, loaded: LoadedIntent, path: string): void {
  let line = 1;
  try {
    const { id, changes } = readJournal(bytes);
    if (id !== loaded.rest.journal) return;
    for (const change of changes) {
      line++;
      const { processes, ...rest } = intentChange.parse(change());
      const changed = parseProcesses(processes);
      Object.assign(loaded.rest, rest);
      for (const [name, intent] of changed) loaded.processes.set(name, intent);
    }
  } catch (error) {
    const aside = nameAsDamaged(path);
    loaded.warning = `${path} was damaged (line ${line}: ${damageOf(error)}); it is kept as ${aside}, and start and stop requests from there on are lost`;
  }
}

/** The text of a snapshot, with one line per process. */
export function snapshotText(header: IntentHeader, processes: ReadonlyMap<string, ProcessIntent>): string {
  const lines = [...processes].map(([name, intent]) => `  ${entry(name, intent)}`);
  return `${JSON.stringify(header, null, 1).replace(/\n\}$/, "")},\n "processes": {\n${lines.join(",\n")}\n }\n}\n`;
}

/** The text of a line of the journal. */
export function changeText(header: Partial<IntentHeader>, processes: Iterable<[string, ProcessIntent]>): string {
  const fields = Object.entries(header).map(([name, value]) => `${JSON.stringify(name)}: ${JSON.stringify(value)}, `);
  const entries = Array.from(processes, ([name, intent]) => entry(name, intent));
  return `{${fields.join("")}"processes": {${entries.join(", ")}}}\n`;
}

/** Not built from an object: `__proto__` is an ordinary name. */
function entry(name: string, intent: ProcessIntent): string {
  return `${JSON.stringify(name)}: ${JSON.stringify(intent)}`;
}

function damageOf(error: unknown): string {
  return error instanceof z.ZodError ? firstIssue(error) : messageOf(error);
}
