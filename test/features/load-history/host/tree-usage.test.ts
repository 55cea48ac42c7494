import fc from "fast-check";
import { expect, test } from "vitest";
import { type ProcessReading, TreeUsage } from "../../../../src/features/load-history/host/tree-usage.ts";

const NAMES = ["cpu"] as const;
type Reading = ProcessReading<"cpu">;

function reading(pid: number, ppid: number, at: number, { own = 0, waited = 0, startTime = "1" } = {}): Reading {
  return { pid, ppid, startTime, at, counters: { cpu: { own, waited } } };
}

const moment = (at: number) => ({ at, ticks: at / 10 });

test("what a child has used before it ended counts once, when its parent takes it over", () => {
  const usage = new TreeUsage<"cpu">();
  const measure = (at: number, ...readings: Reading[]) => usage.measure(readings, moment(at), NAMES, null).cpu;
  expect(measure(10_000, reading(1, 0, 10_000, { own: 100 }), reading(2, 1, 10_000, { own: 500 }))).toBeNull();
  // The child used 50 more, and ended.
  expect(measure(20_000, reading(1, 0, 20_000, { own: 110, waited: 550 }))).toBe(6);
  expect(measure(30_000, reading(1, 0, 30_000, { own: 110, waited: 550 }))).toBe(0);
});

test("a zombie that is waited for later does not count twice", () => {
  const usage = new TreeUsage<"cpu">();
  const measure = (at: number, ...readings: Reading[]) => usage.measure(readings, moment(at), NAMES, null).cpu;
  const child = (at: number) => reading(2, 1, at, { own: 500 });
  measure(10_000, reading(1, 0, 10_000), child(10_000));
  expect(measure(20_000, reading(1, 0, 20_000), child(20_000))).toBe(0);
  expect(measure(30_000, reading(1, 0, 30_000, { waited: 500 }))).toBe(0);
});

test("what a grandchild had used reaches the ancestor that lives", () => {
  const usage = new TreeUsage<"cpu">();
  const measure = (at: number, ...readings: Reading[]) => usage.measure(readings, moment(at), NAMES, null).cpu;
  measure(10_000, reading(1, 0, 10_000), reading(2, 1, 10_000, { own: 10 }), reading(3, 2, 10_000, { own: 100 }));
  expect(measure(20_000, reading(1, 0, 20_000, { waited: 130 }))).toBe(2);
});

test("a process with the pid of another one begins anew", () => {
  const usage = new TreeUsage<"cpu">();
  usage.measure([reading(7, 1, 10_000, { own: 5_000, startTime: "3" })], moment(10_000), NAMES, null);
  const later = reading(7, 1, 20_000, { own: 30, startTime: "1500" });
  expect(usage.measure([later], moment(20_000), NAMES, null).cpu).toBe(3);
  // One that began before the last look, and was not seen there, is only a base.
  const older = reading(8, 1, 30_000, { own: 900, startTime: "500" });
  const rates = usage.measure([reading(7, 1, 30_000, { own: 30, startTime: "1500" }), older], moment(30_000), NAMES, null);
  expect(rates.cpu).toBe(0);
});

test("a tree that was not there at the last look has used everything since", () => {
  const usage = new TreeUsage<"cpu">();
  expect(usage.measure([reading(7, 1, 20_000, { own: 50, startTime: "1200" })], moment(20_000), NAMES, moment(10_000)).cpu).toBe(5);
});

test("what cannot be read of one process is not known of it alone; of all, it is not known", () => {
  const usage = new TreeUsage<"cpu">();
  const hidden = (at: number): Reading => ({ ...reading(2, 1, at), counters: { cpu: null } });
  usage.measure([reading(1, 0, 10_000, { own: 10 }), hidden(10_000)], moment(10_000), NAMES, null);
  expect(usage.measure([reading(1, 0, 20_000, { own: 30 }), hidden(20_000)], moment(20_000), NAMES, null).cpu).toBe(2);
  expect(usage.measure([hidden(30_000)], moment(30_000), NAMES, null).cpu).toBeNull();
});

/** A tree whose processes use time, fork, end and are waited for: the truth is what was used in total. */
test("over random trees no rate is negative, and the sum is what was used by all that are waited for", () => {
  const action = fc.record({
    kind: fc.constantFrom("use", "use", "fork", "end", "sample"),
    which: fc.nat(),
    amount: fc.integer({ min: 1, max: 50 }),
  });
  fc.assert(
    fc.property(fc.array(action, { maxLength: 80 }), (actions) => {
      interface Process {
        pid: number;
        parent: Process | null;
        own: number;
        waited: number;
        startTime: string;
      }
      let at = 0;
      let nextPid = 2;
      let used = 0;
      let measured = 0;
      let last = 0;
      let living: Process[] = [{ pid: 1, parent: null, own: 0, waited: 0, startTime: "0" }];
      const usage = new TreeUsage<"cpu">();
      const sample = () => {
        at += 1_000;
        const readings = living.map(({ pid, parent, own, waited, startTime }) =>
          reading(pid, parent?.pid ?? 0, at, { own, waited, startTime }),
        );
        const { cpu } = usage.measure(readings, moment(at), NAMES, null);
        expect(cpu ?? 0).toBeGreaterThanOrEqual(0);
        measured += ((cpu ?? 0) * (at - last)) / 1_000;
        last = at;
      };
      sample();
      for (const { kind, which, amount } of actions) {
        const process = living[which % living.length];
        if (process === undefined) continue;
        if (kind === "use") {
          process.own += amount;
          used += amount;
        } else if (kind === "fork") {
          living.push({ pid: nextPid++, parent: process, own: 0, waited: 0, startTime: String(at / 10) });
        } else if (kind === "end" && process.parent !== null && !living.some(({ parent }) => parent === process)) {
          process.parent.waited += process.own + process.waited;
          living = living.filter((each) => each !== process);
        } else if (kind === "sample") sample();
      }
      sample();
      expect(measured).toBeCloseTo(used, 6);
    }),
  );
});
