/** What the fields of documented frames and parameters are replaced by; undefined: absent. */
export const ODD_VALUES: readonly unknown[] = [
  undefined,
  null,
  true,
  -1,
  1.5,
  "",
  [],
  {},
  "x".repeat(1024 * 1024),
  "\0",
  "\u001b[2J",
  "a\r\nX-Injected: 1",
  "__proto__",
];

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
export function randomFrom(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}

export function pick<T>(random: () => number, values: readonly T[]): T {
  const value = values[Math.floor(random() * values.length)];
  if (value === undefined && !values.includes(value as T)) throw new Error("nothing to pick from");
  return value as T;
}
