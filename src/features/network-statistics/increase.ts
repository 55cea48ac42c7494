/** Increase of a counter of this program. A smaller value than before means that it was reset to 0. */
export function increase(before: number, after: number): number {
  return after >= before ? after - before : after;
}

/** Range of 32-bit counters, which some drivers and parts of the kernel's TCP_INFO have. */
const WRAP = 2 ** 32;

/** Increase of a counter of the kernel: a smaller value means that a 32-bit counter wrapped, if both readings fit that. */
export function kernelIncrease(before: number, after: number): number {
  if (after >= before) return after - before;
  const wrapped = after + WRAP - before;
  return before < WRAP && wrapped < WRAP / 2 ? wrapped : after;
}

/** `count` per second; 0 if no time has passed. */
export function perSecond(count: number, milliseconds: number): number {
  return milliseconds > 0 ? Math.round((count * 1_000_000) / milliseconds) / 1_000 : 0;
}
