import { resolve } from "node:path";
import type { Clock } from "../../../base/timing/clock.ts";
import type { HostContext } from "../../../daemon/host-feature.ts";
import type { OutputRing } from "../../../daemon/output/output-ring.ts";
import type { HostHit, SearchTarget } from "../contract.ts";
import { type OpenLogFile, openLogFiles } from "./open-log-file.ts";
import { OutputMarks } from "./output-marks.ts";
import type { LineHit } from "./worker/line-search.ts";

/** The output of one process that a search reads, as of one moment. */
export interface SearchSource {
  readonly name: string;
  /** Oldest first. The caller closes them. */
  readonly files: readonly OpenLogFile[];
  /** Position at which the search of the files begins, in the stream that they form together. */
  readonly filesFrom: number;
  /** Output that is not in the files yet, and continues them. */
  readonly unwritten: Buffer;
  /** The part of the ring that the files may or may not have: output from before the daemon wrote them. */
  readonly ring: { readonly ring: OutputRing; readonly from: number; readonly until: number } | null;
  /** Completes a hit in the files and what continues them; null: it is outside of the requested time. */
  readonly fileHit: (hit: LineHit) => HostHit | null;
  readonly ringHit: (hit: LineHit) => HostHit | null;
}

interface SourceOptions {
  readonly output: HostContext["output"];
  readonly clock: Clock;
  readonly since_ms: number | null;
  readonly until_ms: number | null;
  readonly onProblem: (problem: string) => void;
}

/**
 * Takes stock of the output of one process. A log file is a copy of the output, so the files are searched and then what they do not have: the ring
 * from the first byte that is not written yet. Writing pauses while the files are opened, so both parts meet without a gap or a repetition.
 */
export async function openSource(target: SearchTarget, options: SourceOptions): Promise<SearchSource> {
  const { output, onProblem } = options;
  const ring = output.rings.find(target.name);
  const log = output.logFiles.find(target.name);
  if (log !== undefined && ring !== undefined) {
    return log.pausedFor(async (next) => {
      const files = await openLogFiles(log.spec, onProblem);
      return sourceOf({ name: target.name, ring, files, written: { from: log.firstOffset, until: next } }, options);
    });
  }
  const { log_file: spec } = target;
  const files = spec === null ? [] : await openLogFiles({ ...spec, path: resolve(spec.base_dir, spec.path) }, onProblem);
  return sourceOf({ name: target.name, ring, files, written: null }, options);
}

interface Stock {
  readonly name: string;
  readonly ring: OutputRing | undefined;
  readonly files: readonly OpenLogFile[];
  /** The part of the ring's output that the daemon has written to the files: they end with it. */
  readonly written: { readonly from: number; readonly until: number } | null;
}

function sourceOf({ name, ring, files, written }: Stock, { clock, since_ms, until_ms }: SourceOptions): SearchSource {
  const marks = new OutputMarks(ring);
  const size = files.reduce((sum, file) => sum + file.size, 0);
  const begin = since_ms === null ? 0 : (ring?.since(since_ms) ?? 0);
  const end = until_ms === null ? Number.POSITIVE_INFINITY : marks.end(until_ms);
  const ringUntil = Math.min(ring?.end ?? 0, end, written?.from ?? Number.POSITIVE_INFINITY);
  /** Offset in the output of a position in the stream of the files; null: from before the daemon wrote them. */
  const offsetOf = (position: number) => {
    const offset = written === null ? -1 : written.until - (size - position);
    return written !== null && offset >= written.from ? offset : null;
  };
  const completed = (hit: LineHit, offset: number | null, file: HostHit["file"]): HostHit | null => {
    if (offset !== null && (offset < begin || offset >= end)) return null;
    const { line, is_cut, match, before, after } = hit;
    const age_ms = offset === null ? null : marks.ageAt(offset);
    const isInRing = offset !== null && isAt(ring, offset, hit.head);
    return {
      name,
      offset: isInRing ? offset : null,
      file,
      age_ms,
      line,
      is_cut,
      match: [...match],
      before: [...before],
      after: [...after],
    };
  };
  return {
    name,
    files,
    filesFrom: filesFrom(files, since_ms === null ? null : { sinceTime: clock.now() - since_ms, begin, offsetOf, size }),
    unwritten: written === null || ring === undefined ? Buffer.alloc(0) : ring.read(written.until, ring.end - written.until).data,
    ring:
      ring === undefined || ringUntil <= Math.max(ring.start, begin) ? null : { ring, from: Math.max(ring.start, begin), until: ringUntil },
    fileHit: (hit) => completed(hit, offsetOf(hit.position), placeIn(files, hit.position)),
    ringHit: (hit) => completed(hit, hit.position, null),
  };
}

/** Bytes by which the copy in the files may be longer than the output: marks of gaps. */
const GAP_BYTES = 4_096;

interface Since {
  readonly sinceTime: number;
  /** Offset in the ring's output. */
  readonly begin: number;
  readonly offsetOf: (position: number) => number | null;
  readonly size: number;
}

/** Skips what is older: of a file that was last written before, all; of the daemon's own output, what is before the requested place. */
function filesFrom(files: readonly OpenLogFile[], since: Since | null): number {
  if (since === null) return 0;
  let from = 0;
  for (const file of files) {
    if (file.modified >= since.sinceTime) break;
    from += file.size;
  }
  const last = since.offsetOf(since.size);
  const begin = last === null ? 0 : since.size - (last - since.begin) - GAP_BYTES;
  return Math.max(from, since.offsetOf(begin) === null ? 0 : begin);
}

function placeIn(files: readonly OpenLogFile[], position: number): HostHit["file"] {
  let start = 0;
  for (const { path, size } of files) {
    if (position < start + size) return { path, position: position - start };
    start += size;
  }
  return null;
}

/** Whether the ring still has this line at this place: another program may have changed the file. */
function isAt(ring: OutputRing | undefined, offset: number, head: string): boolean {
  if (ring === undefined || offset < ring.start || offset + head.length > ring.end) return false;
  return ring.read(offset, head.length).data.toString("latin1") === head;
}
