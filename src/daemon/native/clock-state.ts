import { libc } from "./libc.ts";

const adjtimex = libc.func("int adjtimex(void *state)") as (state: Buffer) => number;

/** `struct timex` on 64 bits: 208 bytes. A zero in `modes`, the first field, changes nothing. */
const TIMEX_BYTES = 208;
/** Return value of a clock that nothing synchronizes (adjtimex(2)). */
const TIME_ERROR = 5;

/** Whether a time service keeps the clock of this machine right; unknown where the kernel does not tell. */
export function clockState(): "synchronized" | "unsynchronized" | "unknown" {
  const state = adjtimex(Buffer.alloc(TIMEX_BYTES));
  if (state === -1) return "unknown";
  return state === TIME_ERROR ? "unsynchronized" : "synchronized";
}
