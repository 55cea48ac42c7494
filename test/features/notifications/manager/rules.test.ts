import * as fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { type Condition, conditionId } from "../../../../src/app/conditions.ts";
import type { DayPart, RuleDefinition } from "../../../../src/features/notifications/config.ts";
import type { Batch } from "../../../../src/features/notifications/manager/rules/batch.ts";
import { itemsOf } from "../../../../src/features/notifications/manager/rules/batch.ts";
import { ruleMatcher, silenceMatcher } from "../../../../src/features/notifications/manager/rules/matcher.ts";
import { isQuiet } from "../../../../src/features/notifications/manager/rules/quiet-hours.ts";
import { RuleState } from "../../../../src/features/notifications/manager/rules/rule-state.ts";

const MINUTE = 60_000;
/** Noon by local time. */
const NOON = new Date(2026, 10, 26, 12).getTime();

const RULE: RuleDefinition = {
  name: null,
  on: null,
  processes: null,
  tags: null,
  hosts: null,
  ways: ["w"],
  for: 0,
  group_by: "rule",
  group_wait: 0,
  at_most: 1_000,
  within: 60 * MINUTE,
  repeat: null,
  quiet: [],
  recovered: true,
};
const failed = (process: string): Condition => ({ kind: "failed", process, host: "h", text: `${process} failed` });

/** A rule whose time a test moves. */
class Rig {
  readonly state: RuleState;
  readonly silenced = new Set<string>();
  /** The sent items: at which time, and what each says of which process. */
  readonly sent: { at: number; items: string[] }[] = [];
  /** How often something began, as the notifications say. */
  begun = 0;
  at = 0;

  constructor(rule: Partial<RuleDefinition> = {}) {
    this.state = new RuleState({ rule: { ...RULE, ...rule }, isSilenced: ({ process }) => this.silenced.has(process ?? "") });
  }

  get now() {
    return { wall: NOON + this.at, mono: this.at };
  }

  raise(process: string): void {
    this.state.raise(conditionId(failed(process)), failed(process), this.now);
    this.#look();
  }

  clear(process: string, end: "recovered" | "ended" = "recovered"): void {
    this.state.clear(conditionId(failed(process)), end, this.now);
    this.#look();
  }

  /** Jumps from one time at which the rule has something to do to the next, as the manager does. */
  advance(milliseconds: number): void {
    const end = this.at + milliseconds;
    for (;;) {
      const next = this.state.next(this.now);
      if (next === null || next > end) break;
      this.at = Math.max(this.at + 1, next);
      this.#look();
    }
    this.at = end;
    this.#look();
  }

  #look(): void {
    for (const batch of this.state.advance(this.now)) {
      this.sent.push({ at: this.at, items: textsOf(batch) });
      for (const { times } of batch.entries.values()) this.begun += times;
    }
  }
}

const textsOf = (batch: Batch) =>
  itemsOf(batch.entries.values()).items.map(({ status, process, times }) => `${status} ${process}${times > 1 ? ` ×${times}` : ""}`);

describe("a rule", () => {
  it("notifies a condition that lasts for the time of 'for', and not one that ends before", () => {
    const rig = new Rig({ for: 30_000 });
    rig.raise("a");
    rig.advance(20_000);
    rig.clear("a");
    rig.raise("b");
    rig.advance(60_000);
    rig.clear("b");
    expect(rig.sent).toEqual([
      { at: 50_000, items: ["raised b"] },
      { at: 80_000, items: ["recovered b"] },
    ]);
  });

  it("puts what begins within group_wait into one notification, by group", () => {
    const rig = new Rig({ group_wait: 5_000, group_by: "group" });
    rig.raise("sim/a");
    rig.advance(2_000);
    rig.raise("sim/b");
    rig.raise("arm/c");
    rig.advance(60_000);
    expect(rig.sent).toEqual([
      { at: 5_000, items: ["raised sim/a", "raised sim/b"] },
      { at: 7_000, items: ["raised arm/c"] },
    ]);
  });

  it("repeats what lasts, and says that it is over only to those who know of it", () => {
    const rig = new Rig({ repeat: 10 * MINUTE });
    rig.raise("a");
    rig.advance(25 * MINUTE);
    rig.clear("a", "ended");
    rig.advance(60 * MINUTE);
    expect(rig.sent).toEqual([
      { at: 0, items: ["raised a"] },
      { at: 10 * MINUTE, items: ["lasting a"] },
      { at: 20 * MINUTE, items: ["lasting a"] },
    ]);
  });

  it("holds what is over the limit of its rate, and sends it together", () => {
    const rig = new Rig({ at_most: 2, within: MINUTE, recovered: false });
    for (const name of ["a", "b", "c", "d"]) {
      rig.raise(name);
      rig.advance(1_000);
    }
    rig.clear("c");
    rig.advance(5 * MINUTE);
    expect(rig.sent.map(({ at, items }) => [at, ...items])).toEqual([
      [0, "raised a"],
      [1_000, "raised b"],
      [MINUTE, "raised d", "recovered c"],
    ]);
  });

  it("sends nothing in quiet hours, and what happened in them afterwards, with how often", () => {
    const rig = new Rig({ quiet: [{ from: 12 * 60, until: 13 * 60 }] });
    rig.raise("a");
    rig.clear("a");
    rig.raise("a");
    rig.raise("b");
    rig.advance(59 * MINUTE);
    expect(rig.sent).toEqual([]);
    rig.clear("b");
    rig.advance(2 * MINUTE);
    expect(rig.sent).toEqual([{ at: 60 * MINUTE, items: ["raised a ×2", "recovered b"] }]);
  });

  it("notifies what still lasts when a silence ends, and nothing of what ended in it", () => {
    const rig = new Rig({ group_wait: 1_000 });
    rig.raise("a");
    rig.silenced.add("a").add("b");
    rig.raise("b");
    rig.advance(MINUTE);
    rig.clear("b");
    expect(rig.sent).toEqual([]);
    rig.silenced.clear();
    rig.advance(MINUTE);
    expect(rig.sent.flatMap(({ items }) => items)).toEqual(["raised a"]);
  });
});

test.each<[string, DayPart, [hour: number, minute: number, quiet: boolean][]]>([
  [
    "an evening",
    { from: 18 * 60, until: 22 * 60 },
    [
      [17, 59, false],
      [18, 0, true],
      [21, 59, true],
      [22, 0, false],
    ],
  ],
  [
    "a night",
    { from: 22 * 60, until: 7 * 60 },
    [
      [21, 59, false],
      [22, 0, true],
      [0, 0, true],
      [6, 59, true],
      [7, 0, false],
    ],
  ],
  [
    "until midnight",
    { from: 20 * 60, until: 1_440 },
    [
      [19, 59, false],
      [23, 59, true],
      [0, 0, false],
    ],
  ],
])("quiet hours: %s", (_name, part, times) => {
  for (const [hour, minute, quiet] of times) expect(isQuiet([part], new Date(2026, 0, 5, hour, minute).getTime())).toBe(quiet);
});

test("a rule applies by kind, group, pattern, tag and host, and a silence by any name", () => {
  const tagsOf = (name: string) => (name === "sim/a" ? ["critical"] : []);
  const on = (rule: Partial<RuleDefinition>) => ruleMatcher({ ...RULE, ...rule }, tagsOf);
  const lost: Condition = { kind: "host_lost", process: null, host: "robot-7", text: "lost" };
  expect(on({ on: ["crash_loop"] })(failed("sim/a"))).toBe(false);
  expect(on({ processes: ["sim"] })(failed("sim/a"))).toBe(true);
  expect(on({ processes: ["sim"] })(failed("simulator"))).toBe(false);
  expect(on({ processes: ["*/a"] })(failed("sim/a"))).toBe(true);
  expect(on({ processes: ["*"] })(lost)).toBe(false);
  expect(on({ tags: ["critical"] })(failed("sim/a"))).toBe(true);
  expect(on({ tags: ["critical"] })(failed("sim/b"))).toBe(false);
  expect(on({ hosts: ["robot-*"] })(lost)).toBe(true);
  expect(on({ hosts: ["robot-*"] })(failed("sim/a"))).toBe(false);
  const silenced = (pattern: string) => silenceMatcher(pattern, tagsOf);
  expect(silenced("sim")(failed("sim/a"))).toBe(true);
  expect(silenced("h")(failed("other"))).toBe(true);
  expect(silenced("robot-7")(lost)).toBe(true);
  expect(silenced("sim/b")(failed("sim/a"))).toBe(false);
  expect(silenced("tag:critical")(failed("sim/a"))).toBe(true);
  expect(silenced("tag:critical")(failed("sim/b"))).toBe(false);
  expect(silenced("tag:critical")(lost)).toBe(false);
});

const NAMES = ["g/a", "g/b", "h/c"];
const step = fc.oneof(
  { weight: 3, arbitrary: fc.record({ do: fc.constant("raise" as const), name: fc.constantFrom(...NAMES) }) },
  { weight: 2, arbitrary: fc.record({ do: fc.constant("clear" as const), name: fc.constantFrom(...NAMES) }) },
  { weight: 3, arbitrary: fc.record({ do: fc.constant("advance" as const), by: fc.integer({ min: 1, max: 40 * MINUTE }) }) },
);
const rules = fc.record({
  for: fc.constantFrom(0, 30_000),
  group_by: fc.constantFrom<RuleDefinition["group_by"]>("rule", "group", "process"),
  group_wait: fc.constantFrom(0, 5_000),
  at_most: fc.integer({ min: 1, max: 3 }),
  within: fc.constantFrom(10 * MINUTE, 60 * MINUTE),
  repeat: fc.constantFrom(null, 15 * MINUTE),
  quiet: fc.constantFrom([], [{ from: 12 * 60 + 10, until: 13 * 60 }]),
});

test("whatever happens: no notification in quiet hours, none over the rate, and every condition that lasted is told once", () => {
  fc.assert(
    fc.property(rules, fc.array(step, { maxLength: 40 }), (rule, steps) => {
      const rig = new Rig(rule);
      const raisedAt = new Map<string, number>();
      let expected = 0;
      for (const each of steps) {
        if (each.do === "advance") rig.advance(each.by);
        else if (each.do === "raise") {
          if (!raisedAt.has(each.name)) raisedAt.set(each.name, rig.at);
          rig.raise(each.name);
        } else {
          const since = raisedAt.get(each.name);
          if (since !== undefined && rig.at - since >= rule.for) expected++;
          raisedAt.delete(each.name);
          rig.clear(each.name);
        }
      }
      rig.advance(48 * 60 * MINUTE);
      expected += raisedAt.size;

      const times = rig.sent.map(({ at }) => at);
      for (const at of times) {
        expect(isQuiet(rule.quiet, NOON + at)).toBe(false);
        expect(times.filter((other) => other > at - rule.within && other <= at).length).toBeLessThanOrEqual(rule.at_most);
      }
      // Each beginning is counted once, also if it was over before it could be sent.
      expect(rig.begun).toBe(expected);
      const known = new Set<string>();
      for (const { items } of rig.sent) {
        for (const item of items) {
          const [status = "", name = ""] = item.split(" ");
          if (status === "lasting") expect(known).toContain(name);
          if (status === "recovered") known.delete(name);
          else known.add(name);
        }
      }
      // The last notification about each process says how it is.
      expect([...known].sort()).toEqual([...raisedAt.keys()].sort());
    }),
    { numRuns: 300 },
  );
});
