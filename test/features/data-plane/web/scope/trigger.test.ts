import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { TraceSamples } from "../../../../../web/src/features/data-plane/plot/trace-samples.ts";
import { Sweep } from "../../../../../web/src/features/data-plane/scope/sweep.ts";
import { TRIGGER_KINDS, type Trigger, TriggerSearch } from "../../../../../web/src/features/data-plane/scope/trigger.ts";
import { batchesOf, cases, judged, points } from "./judged.ts";

test("a trigger fires where numpy finds it, however the samples are cut into batches", () => {
  const all = cases(
    fc.tuple(
      fc.constantFrom(...TRIGGER_KINDS),
      fc.double({ min: -1e4, max: 1e4, noNaN: true }),
      points(),
      fc.array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 5 }),
    ),
    150,
  );
  const results = judged(all.map(([kind, level, { times, values }]) => ["trigger", kind, level, times, values]));
  for (const [index, [kind, level, line, places]] of all.entries()) {
    const expected = results[index]?.[0] as number[];
    const found = (which: "first" | "last") => {
      const search = new TriggerSearch({ kind, level });
      const each = batchesOf(line, places).flatMap(
        ({ times, values }) => search.next(Float64Array.from(times), Float64Array.from(values), which) ?? [],
      );
      return which === "first" ? each[0] : each.at(-1);
    };
    expectNear(found("first"), expected[0]);
    expectNear(found("last"), expected.at(-1));
  }
});

function expectNear(found: number | undefined, expected: number | undefined): void {
  if (expected === undefined) expect(found).toBeUndefined();
  else expect(found).toBeCloseTo(expected, 7);
}

describe("a window of 1 s, a fifth of it before the trigger,", () => {
  const TRIGGER: Trigger = { trace: { topic: "t", field: "x" }, kind: "rising", level: 0.5, mode: "normal", before: 0.2 };
  /** A sweep, and its samples: a signal at 100 Hz that is 1 in the second half of each second, until `end`. */
  function sweeping(trigger: Partial<Trigger>) {
    const samples = new TraceSamples(["x"], { most: 30_000, step: 0.01, seconds: 300 });
    const sweep = new Sweep({ ...TRIGGER, ...trigger }, 1);
    let row = 0;
    const addUntil = (end: number, value: (time: number) => number = (time) => (time % 1 >= 0.5 ? 1 : 0)) => {
      for (; row / 100 <= end; row++) samples.add([row / 100], [[value(row / 100)]]);
      return sweep.next(samples);
    };
    return { sweep, addUntil };
  }

  test("is shown when it is complete, and stays until the next one is", () => {
    const { sweep, addUntil } = sweeping({});
    // The edge at 0.495 s needs 0.8 s more.
    expect(addUntil(1)).toEqual({ from: 0, until: 1 });
    expect(sweep.state).toBe("waiting");
    const shown = addUntil(1.3);
    expect(shown?.from).toBeCloseTo(0.295, 9);
    expect(shown?.until).toBeCloseTo(1.295, 9);
    expect(sweep.at).toBeCloseTo(0.495, 9);
    expect(addUntil(2.2)).toBeNull();
    expect(sweep.state).toBe("triggered");
    expect(addUntil(4.4)?.from).toBeCloseTo(3.295, 9);
  });

  test("scrolls in the mode auto when nothing has triggered for longer than it, and only then", () => {
    const { sweep, addUntil } = sweeping({ mode: "auto" });
    addUntil(1.3);
    expect(addUntil(2.2, () => 0)).toBeNull();
    expect(addUntil(2.6, () => 0)).toEqual({ from: 1.6, until: 2.6 });
    expect(sweep.state).toBe("free");
    expect(sweep.at).toBeNull();
    addUntil(2.61, () => 1);
    expect(addUntil(3.42, () => 1)?.from).toBeCloseTo(2.405, 9);
    expect(sweep.state).toBe("triggered");
  });

  test("is captured once by a single trigger, which fires after it was armed", () => {
    const { sweep, addUntil } = sweeping({ mode: "single" });
    // The edge at 0.495 s was before.
    expect(addUntil(0.75)).toEqual({ from: -0.25, until: 0.75 });
    expect(addUntil(2.2)).not.toBeNull();
    expect(sweep.state).toBe("waiting");
    expect(addUntil(4.7)?.from).toBeCloseTo(1.295, 9);
    expect(sweep.state).toBe("captured");
    expect(addUntil(6)).toBeNull();
    sweep.arm();
    expect(sweep.at).toBeNull();
    addUntil(6.1);
    expect(addUntil(9)?.from).toBeCloseTo(6.295, 9);
  });

  test("is placed by the newest complete trigger that was there before it was chosen", () => {
    const { addUntil } = sweeping({});
    expect(addUntil(20)?.from).toBeCloseTo(18.295, 9);
  });
});
