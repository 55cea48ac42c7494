/** A count that stays a safe integer: a publisher may claim any sequence numbers, and reports carry safe integers only. */
export function cappedSum(a: number, b: number): number {
  return Math.min(a + b, Number.MAX_SAFE_INTEGER);
}
