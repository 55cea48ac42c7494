import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import fc from "fast-check";

/** The results of numpy for cases, each a function of judge.py and its arguments. */
export function judged(cases: readonly (readonly unknown[])[]): unknown[][] {
  const judge = fileURLToPath(new URL("judge.py", import.meta.url));
  return JSON.parse(execFileSync("/usr/bin/python3", [judge], { input: JSON.stringify(cases), encoding: "utf8" })) as unknown[][];
}

export interface Points {
  readonly times: number[];
  readonly values: number[];
}

/** Samples with rising times in seconds, about one every 10 ms, and numbers of a size that sensors give. */
export const points = (maxLength = 60): fc.Arbitrary<Points> =>
  fc
    .array(fc.tuple(fc.integer({ min: 1, max: 20 }), fc.double({ min: -1e4, max: 1e4, noNaN: true })), { minLength: 1, maxLength })
    .map((steps) => {
      let milliseconds = 1_000_000;
      const times = steps.map(([step]) => {
        milliseconds += step;
        return milliseconds / 1_000;
      });
      return { times, values: steps.map(([, value]) => value) };
    });

/** Cuts samples into batches at the places, fractions of the length. */
export function batchesOf({ times, values }: Points, places: readonly number[]): Points[] {
  const cuts = [0, ...places.map((place) => Math.round(place * times.length)).toSorted((a, b) => a - b), times.length];
  return cuts.slice(1).map((end, index) => ({ times: times.slice(cuts[index], end), values: values.slice(cuts[index], end) }));
}

/** Samples of random cases, the same in each run. */
export const cases = <T>(arbitrary: fc.Arbitrary<T>, count = 60): T[] => fc.sample(arbitrary, { numRuns: count, seed: 7 });
