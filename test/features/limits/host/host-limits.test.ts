import { expect, test } from "vitest";
import type { RunReport } from "../../../../src/contract/run.ts";
import type { CgroupLimits, Limit, LimitRule, LimitsEvent } from "../../../../src/features/limits/contract.ts";
import { HostLimits } from "../../../../src/features/limits/host/host-limits.ts";
import { limitsState } from "../../../../src/features/limits/host/limits-state.ts";
import { PROCESS_SERIES, type ProcessSeries } from "../../../../src/features/load-history/series.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";
import { ended, report } from "../../../support/fakes/run-reports.ts";

const CGROUP: CgroupLimits = { memory_high: null, memory_max: 2 ** 30, cpu_max: null, io_max: [] };
const limit = (change: Partial<Limit> = {}): Limit => ({ measure: "memory", above: 100, for_ms: 30_000, action: "notify", ...change });

/** A host that measures `p` when the test says so. */
class Rig {
  readonly clock: SimulatedClock;
  readonly events: LimitsEvent[] = [];
  readonly cgroups: [run: string, limits: CgroupLimits | null][] = [];
  eachSecond: string[] = [];
  cgroupProblem: string | null = null;
  readonly limits: HostLimits;

  constructor(clock = new SimulatedClock()) {
    this.clock = clock;
    this.limits = new HostLimits({
      clock,
      publish: (event) => this.events.push(event),
      measureEachSecond: (names) => {
        this.eachSecond = [...names];
      },
      limitCgroup: async (run, limits) => {
        this.cgroups.push([run, limits]);
        return this.cgroupProblem;
      },
    });
  }

  /** The host in the program that replaces this one. */
  replaced(): Rig {
    const { state } = this.limits.handOver();
    const next = new Rig(this.clock);
    next.limits.adopt(limitsState.parse(JSON.parse(JSON.stringify(state))));
    return next;
  }

  rules(...rules: Partial<LimitRule>[]): void {
    const whole = rules.map((rule) => ({ name: "p", limits: [], cgroup: null, ...rule }));
    this.limits.receiveRules({ rules: whole, is_first: true, is_last: true });
  }

  run(change: Partial<RunReport> = {}): void {
    this.limits.runChanged(report("1-1", { name: "p", ...change }));
  }

  /** Ten seconds pass, then the host measures. */
  async measure(...values: number[]): Promise<void> {
    for (const value of values) {
      await this.clock.advance(10_000);
      this.figures({ memory: value });
    }
  }

  figures(figures: Partial<Record<ProcessSeries, number>>): void {
    this.limits.measured(
      "p",
      PROCESS_SERIES.map((series) => figures[series] ?? null),
    );
  }

  /** The reached limits, as the manager knows them. */
  get reached() {
    return this.events.at(-1)?.limits?.reached ?? [];
  }
}

test("a limit is reached when its figure has been over it for its time without a break", async () => {
  const rig = new Rig();
  rig.rules({ limits: [limit()] });
  rig.run();
  await rig.measure(101, 101, 101, 100, 101, 101, 101);
  expect(rig.events).toEqual([]);
  await rig.measure(150);
  expect(rig.events).toEqual([
    {
      seq: 1,
      name: "p",
      limits: {
        name: "p",
        reached: [{ ...limit(), run_id: "1-1", value: 150, over_ms: 30_000, at: Date.UTC(2026, 0, 1) + 80_000, times: 1 }],
        cgroup_problem: null,
      },
    },
  ]);
  await rig.measure(200, 200, 200, 200);
  expect(rig.events).toHaveLength(1);
  await rig.measure(100);
  expect(rig.events.at(-1)).toEqual({ seq: 2, name: "p", limits: null });
});

test("a figure that is not known neither reaches a limit nor interrupts one", async () => {
  const rig = new Rig();
  rig.rules({ limits: [limit()] });
  rig.run();
  await rig.measure(101);
  for (let second = 0; second < 30; second += 10) {
    await rig.clock.advance(10_000);
    rig.figures({ cpu_percent: 400 });
  }
  expect(rig.events).toEqual([]);
  await rig.measure(101);
  expect(rig.reached).toMatchObject([{ over_ms: 40_000 }]);
});

test("CPU, descriptors, run time and output each have their own limits", async () => {
  const rig = new Rig();
  rig.rules({
    limits: [
      limit({ measure: "cpu", above: 150, for_ms: 0 }),
      limit({ measure: "descriptors", above: 10, for_ms: 0 }),
      limit({ measure: "run_time", above: 25_000, for_ms: 0 }),
      limit({ measure: "log_growth", above: 1_000, for_ms: 0 }),
    ],
  });
  rig.run({ age_ms: 10_000 });
  const measures = async (figures: Partial<Record<ProcessSeries, number>>, output: number) => {
    rig.limits.output("p", output);
    await rig.clock.advance(10_000);
    rig.figures(figures);
    return rig.reached.map(({ measure, value }) => [measure, value]);
  };
  // The run is 20 s old, and has written 20,000 bytes in that time.
  expect(await measures({ cpu_percent: 150, descriptors: 10 }, 20_000)).toEqual([]);
  expect(await measures({ cpu_percent: 150.5, descriptors: 11 }, 10_001)).toEqual([
    ["cpu", 150.5],
    ["descriptors", 11],
    ["run_time", 30_000],
    ["log_growth", 1000.1],
  ]);
  expect(await measures({ cpu_percent: 1, descriptors: 1 }, 0)).toEqual([["run_time", 30_000]]);
});

test("the end of a run and a stop under way end what only notifies; what led to a restart is kept and counted", async () => {
  const rig = new Rig();
  rig.rules({ limits: [limit({ for_ms: 0 }), limit({ above: 200, for_ms: 0, action: "restart" })] });
  rig.run();
  await rig.measure(300);
  expect(rig.reached.map(({ action }) => action)).toEqual(["notify", "restart"]);
  rig.run({ stopping: true });
  expect(rig.reached.map(({ action }) => action)).toEqual(["restart"]);
  await rig.measure(300);
  rig.run({ ...ended(1), extinct: true });
  expect(rig.reached).toMatchObject([{ run_id: "1-1", times: 1 }]);
  rig.run({ run_id: "1-2" });
  await rig.measure(50, 50);
  expect(rig.reached).toMatchObject([{ run_id: "1-1", times: 1 }]);
  await rig.measure(300);
  expect(rig.reached).toMatchObject([{ action: "notify" }, { action: "restart", run_id: "1-2", times: 2 }]);
  rig.limits.clear("p");
  expect(rig.limits.list()).toEqual([]);
});

test.each([
  ["stopped the process", limit({ for_ms: 0, action: "stop" })],
  ["was a run time", limit({ measure: "run_time", above: 5_000, for_ms: 0, action: "restart" })],
] as const)("what %s is kept until the next run", async (_what, one) => {
  const rig = new Rig();
  rig.rules({ limits: [one] });
  rig.run();
  await rig.measure(300);
  rig.run({ ...ended(0), stopping: true, extinct: true });
  expect(rig.reached).toHaveLength(1);
  rig.run({ run_id: "1-2" });
  expect(rig.limits.list()).toEqual([]);
});

test("a dismissed limit does not count in its run until the figure has been below it", async () => {
  const rig = new Rig();
  rig.rules({ limits: [limit({ for_ms: 0 })] });
  rig.run();
  await rig.measure(300);
  rig.limits.clear("p");
  await rig.measure(300, 300);
  expect(rig.limits.list()).toEqual([]);
  await rig.measure(50, 300);
  expect(rig.reached).toHaveLength(1);
});

test("a table of rules comes in parts; a limit that has not changed keeps what was measured", async () => {
  const rig = new Rig();
  rig.rules({ limits: [limit()] });
  rig.run();
  await rig.measure(300, 300, 300);
  rig.rules({ limits: [limit({ measure: "cpu" }), limit()] });
  await rig.measure(300);
  expect(rig.reached).toMatchObject([{ measure: "memory", over_ms: 30_000 }]);
  rig.rules({ limits: [limit({ above: 250 })] });
  expect(rig.limits.list()).toEqual([]);
  await rig.measure(300, 300, 300);
  const rule = (name: string): LimitRule => ({ name, limits: [limit({ for_ms: 0 })], cgroup: null });
  rig.limits.receiveRules({ rules: [rule("q")], is_first: true, is_last: false });
  await rig.measure(300);
  expect(rig.reached).toMatchObject([{ above: 250 }]);
  rig.limits.receiveRules({ rules: [rule("r")], is_first: false, is_last: true });
  expect(rig.limits.list()).toEqual([]);
  expect(() =>
    rig.limits.receiveRules({ rules: Array.from({ length: 20_001 }, (_, n) => rule(`p${n}`)), is_first: true, is_last: true }),
  ).toThrow("at most 20000 processes");
});

test("only processes with a limit of less than 30 s, or a run time of less than 10 minutes, are measured each second", () => {
  const rig = new Rig();
  rig.rules(
    { name: "short", limits: [limit(), limit({ for_ms: 5_000 })] },
    { name: "long", limits: [limit()] },
    { name: "brief", limits: [limit({ measure: "run_time", above: 5_000, for_ms: 0 })] },
    { name: "nightly", limits: [limit({ measure: "run_time", above: 8 * 3_600_000, for_ms: 0 })] },
  );
  expect(rig.eachSecond).toEqual(["short", "brief"]);
  rig.limits.close();
  expect(rig.eachSecond).toEqual([]);
});

test("the limits of a cgroup are set for each run and when they change, and a problem is reported", async () => {
  const rig = new Rig();
  rig.cgroupProblem = "the memory controller is not available";
  rig.rules({ cgroup: CGROUP });
  rig.run();
  rig.run({ ready: true });
  await rig.clock.settle();
  expect(rig.events.at(-1)?.limits).toEqual({ name: "p", reached: [], cgroup_problem: rig.cgroupProblem });
  rig.rules({ cgroup: { ...CGROUP } });
  rig.cgroupProblem = null;
  rig.rules({ cgroup: { ...CGROUP, cpu_max: 50 } });
  await rig.clock.settle();
  expect(rig.events.at(-1)?.limits).toBeNull();
  rig.rules({});
  rig.run({ ...ended(0), extinct: true });
  rig.run({ run_id: "1-2" });
  expect(rig.cgroups).toEqual([
    ["1-1", CGROUP],
    ["1-1", { ...CGROUP, cpu_max: 50 }],
    ["1-1", null],
  ]);
});

test("limits that were reached, and the time above one, continue when the daemon's program is replaced", async () => {
  const before = new Rig();
  before.rules({ limits: [limit({ for_ms: 25_000 }), limit({ above: 500, for_ms: 10_000 })], cgroup: CGROUP });
  before.run();
  await before.measure(200, 200);
  const rig = before.replaced();
  expect([rig.limits.seq, rig.events, rig.cgroups, rig.eachSecond]).toEqual([before.limits.seq, [], [], ["p"]]);
  await rig.measure(200, 200);
  expect(rig.reached).toMatchObject([{ above: 100, run_id: "1-1", times: 1 }]);
  // The kernel's clock, by which the time is handed over, is not simulated.
  expect(Math.round((rig.reached[0]?.over_ms ?? 0) / 10_000)).toBe(3);
  const third = rig.replaced();
  expect(third.limits.list()).toEqual(rig.limits.list());
  third.limits.clear("p");
  await third.measure(200);
  expect(third.limits.list()).toEqual([]);
});
