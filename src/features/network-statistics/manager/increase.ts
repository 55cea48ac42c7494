/** By how much a counter of this program has grown. A smaller value than before means that it was reset to 0. */
export function increase(before: number, after: number): number {
  return after >= before ? after - before : after;
}

/** Counters of 32 bits begin again here: some drivers have them, and so have parts of the kernel's TCP_INFO. */
const WRAP = 2 ** 32;

/** The same for a counter of the kernel: a smaller value is one of 32 bits that has passed its end, if both readings fit that. */
export function kernelIncrease(before: number, after: number): number {
  if (after >= before) return after - before;
  const wrapped = after + WRAP - before;
  return before < WRAP && wrapped < WRAP / 2 ? wrapped : after;
}

/** `count` a second; 0 for no time. */
export function perSecond(count: number, milliseconds: number): number {
  return milliseconds > 0 ? Math.round((count * 1_000_000) / milliseconds) / 1_000 : 0;
}
