import type { OutputRing } from "../../../daemon/output/output-ring.ts";
import { formatTime } from "../../../protocol/time.ts";
import { MAX_OUTPUT_BYTES } from "../limits.ts";
import type { CrashReport } from "../report.ts";

/** A first line that is cut is left out if it ends within this many bytes. */
const MAX_CUT_LINE_BYTES = 4_096;
const MAX_TIMES = 200;
const NEWLINE = 0x0a;

type Ring = Pick<OutputRing, "read" | "ages" | "start">;

interface Span {
  /** Offsets of the run's first byte, and after its last one. */
  readonly from: number;
  readonly until: number;
  /** Wall clock, milliseconds. */
  readonly now: number;
}

/** The last output of a run, copied from its ring; null: there is none. */
export function lastOutput(ring: Ring, { from, until, now }: Span): CrashReport["output"] {
  if (until <= from) return null;
  const wanted = Math.max(from, until - MAX_OUTPUT_BYTES);
  const read = ring.read(wanted, Math.max(0, until - Math.max(wanted, ring.start)));
  const truncated = read.from > from;
  const skipped = truncated ? lengthOfCutLine(read.data) : 0;
  const bytes = read.data.subarray(skipped);
  const text = new TextDecoder().decode(bytes);
  return {
    text,
    bytes: until - from,
    truncated,
    times: timesOf(bytes, ring.ages(read.from + skipped), { from: read.from + skipped, now }),
  };
}

function lengthOfCutLine(bytes: Uint8Array): number {
  const end = bytes.subarray(0, MAX_CUT_LINE_BYTES).indexOf(NEWLINE);
  if (end >= 0) return end + 1;
  // A character that is cut at the beginning is not shown as damaged.
  let at = 0;
  while (at < 3 && ((bytes[at] ?? 0) & 0xc0) === 0x80) at++;
  return at;
}

/** Times by line: output of a mark begins in the line in which its first byte is. */
function timesOf(
  bytes: Uint8Array,
  ages: readonly { offset: number; age_ms: number }[],
  { from, now }: { from: number; now: number },
): { line: number; time: string }[] {
  const times: { line: number; time: string }[] = [];
  let at = 0;
  let line = 0;
  for (const { offset, age_ms } of ages) {
    if (offset - from >= bytes.length) break;
    for (const end = Math.max(0, offset - from); at < end; at++) if (bytes[at] === NEWLINE) line++;
    const mark = { line, time: formatTime(now - age_ms) };
    if (times.at(-1)?.line === line) times[times.length - 1] = mark;
    else times.push(mark);
  }
  // The newest are closest to the crash.
  return times.slice(-MAX_TIMES);
}
