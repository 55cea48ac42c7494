import { readFileSync } from "node:fs";

/** The journal of a publisher (test/fixtures/journaled-samples.js). Times are nanoseconds by the clock of its host. */
export interface Journal {
  /** When each sample was published, by number. */
  readonly published: readonly bigint[];
  /** When the broker is known to have had all samples up to a number. */
  readonly received: readonly { readonly last: number; readonly time: bigint }[];
}

export function readJournal(path: string): Journal {
  const published: bigint[] = [];
  const received: { last: number; time: bigint }[] = [];
  // A publisher that was killed has no end of its last line.
  for (const line of readFileSync(path, "latin1").split("\n").slice(0, -1)) {
    const [kind, number, time = ""] = line.split(" ");
    if (kind === "published") published[Number(number)] = BigInt(time);
    else received.push({ last: Number(number), time: BigInt(time) });
  }
  return { published, received };
}

interface Verdict {
  /** Samples that were published and received in the time; all have to be in the file. */
  readonly expected: number;
  /** Of these, the numbers of those that are not in it. */
  readonly lost: readonly number[];
  /** Numbers that are in the file twice, or out of order. */
  readonly disordered: readonly number[];
}

/** Compares the samples of a file with the journal of their publisher, in a time by the clock of its host. */
export function compared({ published, received }: Journal, numbers: readonly number[], from: bigint, until: bigint): Verdict {
  const first = published.findIndex((time) => time >= from);
  const last = received.findLast(({ time }) => time < until)?.last ?? -1;
  const has = new Set(numbers);
  const expected = first < 0 ? [] : Array.from({ length: Math.max(0, last + 1 - first) }, (_, n) => first + n);
  return {
    expected: expected.length,
    lost: expected.filter((number) => !has.has(number)),
    disordered: numbers.filter((number, at) => at > 0 && number <= (numbers[at - 1] ?? -1)),
  };
}
