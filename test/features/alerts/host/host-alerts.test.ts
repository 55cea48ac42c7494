import { expect, test } from "vitest";
import type { HandedOver } from "../../../../src/base/handed-over.ts";
import type { RunReport } from "../../../../src/contract/run.ts";
import type { AlertEvent, AlertRule } from "../../../../src/features/alerts/contract.ts";
import { HostAlerts } from "../../../../src/features/alerts/host/host-alerts.ts";
import { SimulatedClock } from "../../../../src/testing/simulated-clock.ts";
import { report } from "../../../support/fakes/run-reports.ts";

/** A host whose processes write when the test says so. */
class Rig {
  readonly clock: SimulatedClock;
  readonly events: AlertEvent[] = [];
  readonly warnings: string[] = [];
  isPaused = false;
  readonly alerts: HostAlerts;

  constructor(clock = new SimulatedClock(), taken?: HandedOver) {
    this.clock = clock;
    this.alerts = new HostAlerts({
      clock,
      log: (_level, msg) => this.warnings.push(msg),
      publish: (event) => this.events.push(event),
      isPaused: () => this.isPaused,
      taken,
    });
  }

  /** The host in the program that replaces this one. */
  replaced(): Rig {
    const { state, ...rest } = this.alerts.handOver();
    this.alerts.close();
    return new Rig(this.clock, { ...rest, state: JSON.parse(JSON.stringify(state)) });
  }

  rules(...rules: Partial<AlertRule>[]): void {
    const whole = rules.map((rule) => ({ name: "p", silent_ms: null, pattern: null, ...rule }));
    this.alerts.receiveRules({ rules: whole, is_first: true, is_last: true });
  }

  /** A change of the newest run of `p`. */
  run(change: Partial<RunReport> = {}, awaitsReady = false): void {
    this.alerts.runChanged(report("1-1", { name: "p", ...change }), awaitsReady);
  }

  write(text: string, name = "p"): void {
    this.alerts.output(name, Buffer.from(text));
  }

  /** The alert of `p` as the manager knows it. */
  get alert() {
    return this.events.at(-1)?.alert ?? null;
  }
}

test("a process that writes nothing needs attention after its time, and no more when it writes", async () => {
  const rig = new Rig();
  rig.rules({ silent_ms: 30_000 });
  rig.run();
  await rig.clock.advance(20_000);
  rig.write("still here");
  await rig.clock.advance(29_999);
  expect(rig.events).toEqual([]);
  await rig.clock.advance(200);
  expect(rig.events).toMatchObject([
    { seq: 1, name: "p", alert: { name: "p", silent: { since: Date.UTC(2026, 0, 1) + 20_000 }, output: null } },
  ]);
  await rig.clock.advance(600_000);
  expect(rig.events).toHaveLength(1);
  rig.write("x");
  expect(rig.events.at(-1)).toEqual({ seq: 2, name: "p", alert: null });
});

test("a dismissed silence is no alert until the process has written something", async () => {
  const rig = new Rig();
  rig.rules({ silent_ms: 5_000 });
  rig.run();
  await rig.clock.advance(6_000);
  rig.alerts.clear("p");
  expect(rig.alert).toBeNull();
  await rig.clock.advance(60_000);
  expect(rig.events).toHaveLength(2);
  rig.write("x");
  await rig.clock.advance(6_000);
  expect(rig.alert).toMatchObject({ silent: {} });
});

test("silence counts while the process is started or ready: not before, not while it is stopped, not while it is paused", async () => {
  const rig = new Rig();
  rig.rules({ silent_ms: 5_000 });
  rig.run({ ready: false }, true);
  await rig.clock.advance(60_000);
  rig.run({ ready: true }, true);
  await rig.clock.advance(4_900);
  expect(rig.events).toEqual([]);
  rig.isPaused = true;
  await rig.clock.advance(60_000);
  expect(rig.events).toEqual([]);
  rig.isPaused = false;
  await rig.clock.advance(6_000);
  expect(rig.alert).toMatchObject({ silent: {} });
  rig.run({ ready: true, stopping: true }, true);
  expect(rig.alert).toBeNull();
  await rig.clock.advance(60_000);
  rig.run({ ready: true, stopping: true, exit: { code: 0, signal: null, reason: null }, extinct: true }, true);
  await rig.clock.advance(60_000);
  expect(rig.events).toHaveLength(2);
});

test("a line that matches is kept until the alert is dismissed or the process starts again, also after its end", async () => {
  const rig = new Rig();
  rig.rules({ pattern: "ERROR: .*lost" });
  rig.run();
  rig.write("fine\r\nER\x1b[1");
  rig.write(";31mROR\x1b[0m: the arm is lost\r\nERROR: the leg is lost\r\nfine\r\n");
  expect(rig.alert).toMatchObject({ output: { line: "ERROR: the arm is lost", matches: 2 } });
  rig.run({ exit: { code: 1, signal: null, reason: null }, extinct: true });
  await rig.clock.advance(60_000);
  expect(rig.alert).toMatchObject({ output: {} });
  rig.run({ run_id: "1-2" });
  expect(rig.alert).toBeNull();
  rig.write("ERROR: lost\n");
  expect(rig.alert).toMatchObject({ output: { line: "ERROR: lost", matches: 1 } });
  rig.alerts.clear("p");
  expect(rig.alert).toBeNull();
  rig.write("ERROR: lost again\n");
  expect(rig.alert).toMatchObject({ output: { line: "ERROR: lost again" } });
  expect(rig.alerts.list()).toEqual([rig.alert]);
});

test("a line without an end is examined when the process has paused", async () => {
  const rig = new Rig();
  rig.rules({ pattern: "^Press a key$" });
  rig.run();
  rig.write("Press ");
  await rig.clock.advance(500);
  rig.write("a key");
  await rig.clock.advance(500);
  expect(rig.alert).toBeNull();
  await rig.clock.advance(600);
  expect(rig.alert).toMatchObject({ output: { line: "Press a key" } });
});

test.each([0, 3_000, 4_090, 10_000, 99_990])("a match %i bytes into a long line is found, in whatever pieces it comes", (at) => {
  const line = `${"x".repeat(at)} panic: 7 ${"y".repeat(100_000 - at)}`;
  for (const size of [line.length, 4_096, 777]) {
    const rig = new Rig();
    rig.rules({ pattern: "panic: [0-9] " });
    rig.run();
    for (let from = 0; from < line.length; from += size) rig.write(line.slice(from, from + size));
    rig.write("\n");
    expect(rig.alert).toMatchObject({ output: {} });
    expect(JSON.stringify(rig.alert).length).toBeLessThan(2_000);
  }
});

test("a flood of lines that match costs one event a second, and few lines are examined", async () => {
  const rig = new Rig();
  rig.rules({ pattern: "^again" });
  rig.run();
  for (let second = 0; second < 5; second++) {
    for (let chunk = 0; chunk < 100; chunk++) rig.write("again and again\n".repeat(1_000));
    await rig.clock.advance(1_000);
  }
  expect(rig.events.length).toBeLessThanOrEqual(1 + 5 * 2);
  const { matches = 0 } = rig.alert?.output ?? {};
  expect(matches).toBeGreaterThan(20);
  expect(matches).toBeLessThanOrEqual(1 + 20 * 6);
});

test("of a flood without a match, the part that the engine examines is bounded, and what is left out is logged", async () => {
  const rig = new Rig();
  rig.rules({ pattern: "(a+)+$" }, { name: "q", pattern: "fatal" });
  rig.run();
  const line = `${"a".repeat(4_000)}b\n`;
  for (let count = 0; count < 4_000; count++) rig.write(line);
  expect(rig.warnings).toHaveLength(1);
  expect(rig.warnings[0]).toMatch(/^'p' writes more than is examined for alert\.output_matches/);
  // Lines without the fixed text of an expression take nothing from the budget.
  for (let count = 0; count < 4_000; count++) rig.write(line, "q");
  rig.write("fatal\n", "q");
  expect(rig.alerts.list()).toMatchObject([{ name: "q" }]);
  // The budget comes back with time.
  await rig.clock.advance(10_000);
  rig.write("aaa\n");
  expect(rig.alerts.list()).toMatchObject([{ name: "q" }, { name: "p" }]);
});

test("a table of rules comes in parts; what has not changed keeps its alert", async () => {
  const rig = new Rig();
  rig.rules({ pattern: "lost", silent_ms: 5_000 });
  rig.run();
  rig.write("lost\n");
  await rig.clock.advance(6_000);
  expect(rig.alert).toMatchObject({ silent: {}, output: {} });
  rig.rules({ pattern: "lost", silent_ms: 5_000 });
  expect(rig.events).toHaveLength(2);
  rig.rules({ pattern: "lost", silent_ms: 60_000 });
  expect(rig.alert).toMatchObject({ silent: null, output: {} });
  await rig.clock.advance(53_000);
  expect(rig.alert).toMatchObject({ silent: null });
  await rig.clock.advance(2_000);
  expect(rig.alert).toMatchObject({ silent: {} });
  rig.rules({ pattern: "gone", silent_ms: 60_000 });
  expect(rig.alert).toMatchObject({ silent: {}, output: null });
  const rule = (name: string): AlertRule => ({ name, silent_ms: 1_000, pattern: null });
  rig.alerts.receiveRules({ rules: [rule("q")], is_first: true, is_last: false });
  expect(rig.alert).toMatchObject({ silent: {} });
  rig.alerts.receiveRules({ rules: [rule("r")], is_first: false, is_last: true });
  expect(rig.alert).toBeNull();
  expect(() =>
    rig.alerts.receiveRules({ rules: Array.from({ length: 20_001 }, (_, n) => rule(`p${n}`)), is_first: true, is_last: true }),
  ).toThrow("at most 20000 processes");
});

test("one timer serves all processes, and none is left at the end", async () => {
  const rig = new Rig();
  const names = Array.from({ length: 500 }, (_, n) => `p${n}`);
  rig.rules(...names.map((name, n) => ({ name, silent_ms: 1_000 + 10 * n, pattern: "lost" })));
  for (const name of names) {
    rig.alerts.runChanged(report("1-1", { name }), false);
    rig.write("unfinished", name);
  }
  expect(rig.clock.pending).toBe(1);
  await rig.clock.advance(60_000);
  expect(rig.alerts.list()).toHaveLength(500);
  rig.write("x", "p1");
  expect(rig.clock.pending).toBe(1);
  rig.alerts.close();
  expect(rig.clock.pending).toBe(0);
});

test("alerts, delays and a line that is not complete continue when the daemon's program is replaced", async () => {
  const before = new Rig();
  before.rules({ silent_ms: 30_000, pattern: "error: .*" }, { name: "q", pattern: "fatal" });
  before.run();
  before.write("fatal\n", "q");
  await before.clock.advance(20_000);
  before.write("first\nerror: half of a");
  const rig = before.replaced();
  expect(rig.alerts.seq).toBe(before.alerts.seq);
  expect(rig.alerts.list()).toMatchObject([{ name: "q", output: { line: "fatal", matches: 1 } }]);
  rig.write(" line\n");
  expect(rig.alert).toMatchObject({ name: "p", output: { line: "error: half of a line" } });
  expect(rig.events[0]?.seq).toBe(2);
  await rig.clock.advance(20_000);
  const third = rig.replaced();
  await third.clock.advance(5_000);
  expect(third.events).toEqual([]);
  // The kernel's clock, by which the time is handed over, is not simulated: a few milliseconds differ.
  await third.clock.advance(6_000);
  expect(third.alert).toMatchObject({ name: "p", silent: { since: expect.any(Number) } });
  third.alerts.clear("p");
  expect(
    third
      .replaced()
      .alerts.list()
      .map(({ name }) => name),
  ).toEqual(["q"]);
});
