/** What a mark begins with: a command override is in upserts of its process only, and says when it was made. */
const MARK = '"command_override":"';
const DIGITS = 16;
export const MARK_BYTES = MARK.length + DIGITS;

/** Microseconds of the clock that all programs of this machine share. */
export function microseconds(): number {
  return Number(process.hrtime.bigint() / 1_000n);
}

/** A command override made now. */
export function markNow(): string {
  return markAt(microseconds());
}

/** Where the next whole mark of `data` begins, from `start` on; -1: there is none. */
export function findMark(data: Buffer, start = 0): number {
  const at = data.indexOf(MARK, start, "latin1");
  return at < 0 || at + MARK_BYTES > data.length ? -1 : at;
}

/** When the mark at this place was made, microseconds. */
export function markTime(data: Buffer, at: number): number {
  return Number(data.toString("latin1", at + MARK.length, at + MARK_BYTES));
}

/** Makes the mark at this place one of this time, microseconds. */
export function renewMark(data: Buffer, at: number, time: number): void {
  data.write(markAt(time), at + MARK.length, "latin1");
}

function markAt(time: number): string {
  return String(time).padStart(DIGITS, "0");
}
