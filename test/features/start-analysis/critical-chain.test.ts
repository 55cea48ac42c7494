import fc from "fast-check";
import { expect, test } from "vitest";
import { criticalChain, lastOf, lastStart } from "../../../src/features/start-analysis/critical-chain.ts";
import { type StartTimes, settledAt } from "../../../src/features/start-analysis/start-times.ts";

const start = (name: string, times: Partial<StartTimes> = {}): StartTimes => ({
  name,
  requested: 0,
  released: 0,
  started: 1,
  up: 2,
  ended: null,
  failure: null,
  after: null,
  attempts: 1,
  ...times,
});

const byName = (starts: readonly StartTimes[]) => (name: string) => starts.find((each) => each.name === name);

/** Processes that depend on earlier ones alone; each takes some time from its last dependency to being ready. */
const graphs = fc
  .array(
    fc.record({
      spawn: fc.integer({ min: 0, max: 50 }),
      ready: fc.integer({ min: 1, max: 1_000 }),
      on: fc.array(fc.nat(), { maxLength: 4 }),
    }),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map((nodes) => {
    const made: StartTimes[] = [];
    nodes.forEach(({ spawn, ready, on }, index) => {
      const dependencies = index === 0 ? [] : [...new Set(on.map((each) => each % index))].map((each) => made[each] as StartTimes);
      const last = dependencies.toSorted((a, b) => (b.up ?? 0) - (a.up ?? 0))[0];
      const released = last?.up ?? 0;
      const started = released + spawn;
      made.push(start(`p${index}`, { released, started, up: started + ready, after: last?.name ?? null }));
    });
    return made;
  });

test("the parts of a critical chain add up to the time of the whole start, and follow the dependencies", () => {
  fc.assert(
    fc.property(graphs, (starts) => {
      const members = lastStart(starts);
      expect(new Set(members)).toEqual(new Set(starts));
      const last = lastOf(members, () => 0);
      if (last === null) throw new Error("there is a start");
      const chain = criticalChain(last, byName(starts));
      const longest = Math.max(...starts.map((each) => settledAt(each) ?? 0));
      expect(chain.reduce((sum, { from, until }) => sum + (until ?? Number.NaN) - (from ?? Number.NaN), 0)).toBe(longest);
      expect(chain[0]).toMatchObject({ from: 0, isKnown: true });
      expect(chain.at(-1)).toMatchObject({ name: last.name, until: longest });
      chain.forEach((link, index) => {
        expect(byName(starts)(link.name)?.after ?? null).toBe(chain[index - 1]?.name ?? null);
        if (index > 0) expect(link.from).toBe(chain[index - 1]?.until);
      });
    }),
  );
});

test("while a start is under way, its chain leads from the process that everything waits for to the one that depends on the most", () => {
  const waits = { released: null, started: null, up: null };
  const starts = [
    start("db", { up: null }),
    start("api", { ...waits, after: "db" }),
    start("web", { ...waits, after: "api" }),
    start("other"),
  ];
  const last = lastOf(starts, (name) => ["db", "api", "web"].indexOf(name));
  expect(last?.name).toBe("web");
  expect(last && criticalChain(last, byName(starts))).toEqual([
    { name: "db", isKnown: true, from: 0, until: null },
    { name: "api", isKnown: true, from: null, until: null },
    { name: "web", isKnown: true, from: null, until: null },
  ]);
});

test("a chain ends where the times of a dependency are not known: it is unknown, or was started again since", () => {
  const web = start("web", { released: 10, started: 11, up: 20, after: "db" });
  const unknown = [
    { name: "db", isKnown: false, from: null, until: 10 },
    { name: "web", isKnown: true, from: 10, until: 20 },
  ];
  expect(criticalChain(web, () => undefined)).toEqual(unknown);
  expect(criticalChain(web, byName([start("db", { requested: 15, released: 15, started: 16, up: 17 })]))).toEqual(unknown);
  // Only a configuration that was changed meanwhile can lead to a circle.
  const circle = [web, start("db", { released: 9, up: 10, after: "web" })];
  expect(criticalChain(web, byName(circle)).map(({ name }) => name)).toEqual(["web", "db", "web"]);
});

test("a process that was released by the end of a job, or by a start before it was ready, begins at that moment", () => {
  const job = start("job", { up: 2, ended: 7 });
  expect(criticalChain(start("a", { released: 7, up: 9, after: "job" }), byName([job]))[0]).toMatchObject({ from: 0, until: 7 });
  const slow = start("slow", { started: 3, up: 100 });
  expect(criticalChain(start("b", { released: 3, up: 9, after: "slow" }), byName([slow]))[0]).toMatchObject({ from: 0, until: 3 });
});

test("the last start has all starts that overlap with the newest one, and no earlier one", () => {
  const starts = [
    start("old", { up: 10 }),
    start("a", { requested: 20, up: 30 }),
    start("b", { requested: 29, up: 50 }),
    start("c", { requested: 45, up: 46 }),
  ];
  expect(lastStart(starts).map(({ name }) => name)).toEqual(["a", "b", "c"]);
  expect(lastStart([])).toEqual([]);
  expect(lastOf([], () => 0)).toBeNull();
});
