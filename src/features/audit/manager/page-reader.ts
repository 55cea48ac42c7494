import type { FileHandle } from "node:fs/promises";
import { MgrError } from "../../../base/errors.ts";
import { isMissing } from "../../../files/state-file.ts";
import { DEFAULT_LISTED } from "../limits.ts";
import { openTrail, trailFiles } from "../trail/files.ts";
import { linesBefore, linesFrom } from "../trail/lines.ts";
import { type OutcomeRecord, recordIn } from "../trail/records.ts";
import type { AuditEntry } from "../wire.ts";
import type { AuditPage, AuditRequest } from "./audit.ts";
import { entryFilter, entryOf, isEntry, isOutcome, withOutcome } from "./entries.ts";

/** Maximum number of bytes that one page searches: a page may have few entries, and the next one continues. */
const MAX_SEARCHED_BYTES = 4 * 1024 * 1024;
const CURSOR = /^(\d{1,15}):(\d{1,15})$/;

/** A place between two lines. */
interface Place {
  readonly file: number;
  readonly offset: number;
}

/** Reads the entries before a place, newest first. `isRunning`: the command has no outcome yet. */
export async function readPage(
  folder: string,
  request: AuditRequest,
  isRunning: (id: number) => boolean,
): Promise<Pick<AuditPage, "entries" | "before">> {
  const { limit = DEFAULT_LISTED, since } = request;
  const files = await trailFiles(folder);
  const begin = await firstPlace(folder, files, request.before);
  if (begin === null) return { entries: [], before: null };
  const isAsked = entryFilter(request);
  const entries: AuditEntry[] = [];
  const outcomes = new Map<number, OutcomeRecord>();
  let searched = 0;
  const page = async (before: Place | null) => ({
    entries: await concluded(folder, files, { entries, begin, outcomes, isRunning }),
    before: before === null ? null : `${before.file}:${before.offset}`,
  });
  for (const number of files.filter((each) => each <= begin.file).toReversed()) {
    const opened = await openedOrNull(folder, number);
    // The oldest file was removed meanwhile.
    if (opened === null) break;
    await using file = opened;
    const end = number === begin.file ? begin.offset : (await file.stat()).size;
    for await (const { text, from, bytes } of linesBefore(file, end)) {
      const record = text === null ? null : recordIn(text);
      if (record !== null && isOutcome(record)) outcomes.set(record.id, record);
      if (record !== null && isEntry(record)) {
        if (since !== undefined && record.time < since) return page(null);
        const entry = entryOf(record);
        if (isAsked(entry)) entries.push(entry);
      }
      searched += bytes.length;
      if (entries.length >= limit || searched >= MAX_SEARCHED_BYTES) return page({ file: number, offset: from });
    }
  }
  return page(null);
}

interface Concluding {
  readonly entries: readonly AuditEntry[];
  readonly begin: Place;
  readonly outcomes: Map<number, OutcomeRecord>;
  readonly isRunning: (id: number) => boolean;
}

/** The entries with their outcomes. Those of the last commands of a page may stand behind the place where it begins. */
async function concluded(folder: string, files: readonly number[], { entries, begin, outcomes, isRunning }: Concluding) {
  const missing = new Set(entries.flatMap(({ id, outcome }) => (outcome === "unknown" && !outcomes.has(id) && !isRunning(id) ? [id] : [])));
  if (missing.size > 0) await findOutcomes(folder, files, { begin, missing, outcomes });
  return entries.map((entry) => {
    const outcome = outcomes.get(entry.id);
    if (outcome !== undefined) return withOutcome(entry, outcome);
    return entry.outcome === "unknown" && isRunning(entry.id) ? { ...entry, outcome: "running" as const } : entry;
  });
}

interface Search {
  readonly begin: Place;
  readonly missing: Set<number>;
  readonly outcomes: Map<number, OutcomeRecord>;
}

async function findOutcomes(folder: string, files: readonly number[], { begin, missing, outcomes }: Search): Promise<void> {
  let searched = 0;
  for (const number of files.filter((each) => each >= begin.file)) {
    const opened = await openedOrNull(folder, number);
    if (opened === null) continue;
    await using file = opened;
    const { size } = await file.stat();
    for await (const { text, bytes } of linesFrom(file, number === begin.file ? begin.offset : 0, size)) {
      const record = text === null ? null : recordIn(text);
      if (record !== null && isOutcome(record) && missing.delete(record.id)) outcomes.set(record.id, record);
      searched += bytes.length;
      // The next manager knows no outcomes of commands that the one before it received.
      const isNextManager = record?.event === "requested" && record.command === "manager_start";
      if (missing.size === 0 || isNextManager || searched >= MAX_SEARCHED_BYTES) return;
    }
  }
}

/** Null: there is nothing before it. */
async function firstPlace(folder: string, files: readonly number[], cursor: string | undefined): Promise<Place | null> {
  if (cursor !== undefined) {
    const [, file, offset] = CURSOR.exec(cursor) ?? [];
    if (file === undefined || offset === undefined) throw new MgrError("bad_field", "'before' of 'request_audit' must be that of a page");
    const place = { file: Number(file), offset: Number(offset) };
    const opened = await openedOrNull(folder, place.file);
    if (opened === null) return null;
    await using handle = opened;
    return { ...place, offset: Math.min(place.offset, (await handle.stat()).size) };
  }
  const newest = files.at(-1);
  if (newest === undefined) return null;
  const opened = await openedOrNull(folder, newest);
  if (opened === null) return null;
  await using handle = opened;
  return { file: newest, offset: (await handle.stat()).size };
}

async function openedOrNull(folder: string, file: number): Promise<FileHandle | null> {
  return openTrail(folder, file).catch((error: unknown) => {
    if (isMissing(error)) return null;
    throw error;
  });
}
