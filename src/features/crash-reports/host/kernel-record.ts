/** A record of /dev/kmsg (Documentation/ABI/testing/dev-kmsg). */
export interface KernelRecord {
  /** Microseconds since boot, by a clock that stands still while the machine sleeps. */
  readonly micros: number;
  readonly text: string;
}

/** Longest text of a line that is kept, characters. */
const MAX_TEXT = 1_000;
const HEAD = /^\d+,\d+,(\d{1,15}),[^;\n]*;([^\n]*)/;
/** A pid as the kernel writes it: `name[123]`, `pid=123`, `process 123 (name)`, `task:name pid:123`. */
const NAMED_PID = /(?:\[|\bpid[=: ] ?|\bprocess )(\d{1,10})(?!\d)/gi;

/** Priority, number, time and flags, then the text; lines that begin with a blank follow and are left out. Null: not a record. */
export function parseRecord(record: string): KernelRecord | null {
  const [, micros, text] = HEAD.exec(record) ?? [];
  if (micros === undefined || text === undefined) return null;
  return { micros: Number(micros), text: text.slice(0, MAX_TEXT) };
}

/** The pids that a line names. */
export function pidsNamedIn(text: string): number[] {
  return [...text.matchAll(NAMED_PID)].map(([, pid]) => Number(pid));
}
