import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, expect, test } from "vitest";
import { createManager, type EmbeddedManager } from "../../../../src/app/index.ts";
import type { ScheduleState } from "../../../../src/features/schedule/wire.ts";
import { FakeHost, type FakePrograms, type FakeScript, SimulatedClock } from "../../../../src/testing/index.ts";

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;

/** A simulated clock whose wall time can be set. */
class SettableClock extends SimulatedClock {
  offset = 0;

  override now(): number {
    return super.now() + this.offset;
  }
}

interface Settings {
  readonly schedule: Record<string, unknown>;
  readonly program?: FakePrograms[string];
  readonly stateDir?: string;
  readonly clock?: SettableClock;
  readonly more?: Record<string, unknown>;
}

/** A manager with a process `job` on a fake host, which takes 10 s for each run unless `program` says otherwise. */
class Rig implements AsyncDisposable {
  readonly clock: SettableClock;
  readonly host: FakeHost;
  readonly manager: EmbeddedManager;
  readonly states: string[] = [];
  readonly log: string[] = [];
  schedule: ScheduleState | undefined;

  static async open({ schedule, program, stateDir, clock = new SettableClock(), more = {} }: Settings): Promise<Rig> {
    const runFor10s: FakeScript = async (process) => {
      await process.sleep(10_000);
      return 0;
    };
    const job = program ?? runFor10s;
    const host = new FakeHost({ clock, programs: { job } });
    const log: string[] = [];
    const manager = await createManager(
      { processes: { job: { command: "x", schedule, ...more } } },
      { clock, host, onLog: ({ msg }) => log.push(msg), ...(stateDir === undefined ? {} : { stateDir }) },
    );
    const rig = new Rig(clock, host, manager, log);
    rig.schedule = (await manager.client.snapshot()).schedules[0];
    await clock.settle();
    return rig;
  }

  private constructor(clock: SettableClock, host: FakeHost, manager: EmbeddedManager, log: string[]) {
    this.clock = clock;
    this.host = host;
    this.manager = manager;
    this.log = log;
    manager.client.frames$.subscribe((frame) => {
      if (frame.type === "schedule_upsert") this.schedule = frame.schedule;
      if (frame.type === "process_upsert" && this.states.at(-1) !== frame.process.state) this.states.push(frame.process.state);
    });
  }

  /** How often the process was started. */
  get runs(): number {
    return this.states.filter((state) => state === "starting").length;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.manager.close();
  }
}

let folder: string | undefined;
const stateDir = () => {
  folder ??= mkdtempSync(join(tmpdir(), "mgr-schedule-"));
  return folder;
};
afterEach(() => {
  if (folder !== undefined) rmSync(folder, { recursive: true });
  folder = undefined;
});

test("a schedule starts its process again and again; the requester is the schedule, and nothing is restarted in between", async () => {
  await using rig = await Rig.open({ schedule: { every: "1m" } });
  expect(rig.schedule).toMatchObject({ every_ms: MINUTE, cron: null, next_run: "2026-01-01T00:01:00.000", last_run: null, paused: false });
  await rig.clock.advance(3 * MINUTE - 1);
  expect(rig.states.filter((state) => state !== "ready")).toEqual(["starting", "started", "stopped", "starting", "started", "stopped"]);
  const [job] = (await rig.manager.client.snapshot()).processes;
  expect(job).toMatchObject({ requested_by: "its schedule", restarts: 0 });
  expect(rig.schedule).toMatchObject({ next_run: "2026-01-01T00:03:00.000", last_run: "2026-01-01T00:02:00.000" });
  expect(rig.log).toContain("'its schedule' requests start of 'job'");
});

test("a run that fails is tried again by the restart policy, and a failed process starts at its next time", async () => {
  await using rig = await Rig.open({
    schedule: { cron: "0 * * * *", timezone: "UTC" },
    program: () => 3,
    more: { restart: { policy: "on-failure", max_restarts: 1 } },
  });
  await rig.clock.advance(HOUR + 20_000);
  expect([rig.runs, rig.states.at(-1)]).toEqual([2, "error"]);
  await rig.clock.advance(HOUR);
  expect(rig.runs).toBe(4);
});

test("overlap skip leaves out the runs that are due while one runs, and says so once in the log", async () => {
  await using rig = await Rig.open({ schedule: { every: "4s" } });
  await rig.clock.advance(13_000);
  expect(rig.runs).toBe(1);
  expect(rig.schedule?.skipped).toEqual({ count: 2, at: "2026-01-01T00:00:12.000", reason: "the run before has not ended" });
  expect(rig.log.filter((msg) => msg.includes("was left out"))).toHaveLength(1);
  await rig.clock.advance(4_000);
  expect([rig.runs, rig.schedule?.skipped]).toEqual([2, null]);
});

test("overlap queue begins one run when the one before has ended, however many were due", async () => {
  await using rig = await Rig.open({ schedule: { every: "4s", overlap: "queue" } });
  await rig.clock.advance(13_000);
  expect([rig.runs, rig.schedule?.pending]).toEqual([1, true]);
  await rig.clock.advance(1_500);
  expect([rig.runs, rig.schedule?.pending]).toEqual([2, false]);
});

test("overlap kill stops the run before, then starts the next one", async () => {
  await using rig = await Rig.open({ schedule: { every: "8s", overlap: "kill" } });
  await rig.clock.advance(17_000);
  expect(rig.runs).toBe(2);
  expect(rig.states).toContain("stopping");
  expect(rig.schedule?.last_run).toBe("2026-01-01T00:00:16.000");
});

test("a stop by a user pauses the schedule until a start, and drops a run that waits", async () => {
  await using rig = await Rig.open({ schedule: { every: "4s", overlap: "queue" } });
  await rig.clock.advance(9_000);
  expect(rig.schedule?.pending).toBe(true);
  await rig.clock.until(rig.manager.process("job").stop());
  expect(rig.schedule).toMatchObject({ paused: true, pending: false, next_run: null });
  await rig.clock.advance(10 * MINUTE);
  expect(rig.runs).toBe(1);
  await rig.manager.client.request({ type: "start_process", name: "job" });
  await rig.clock.advance(1_000);
  expect([rig.runs, rig.schedule?.paused]).toEqual([2, false]);
  await rig.clock.advance(12_000);
  expect(rig.runs).toBe(3);
});

test("a clock that is set forward, or a machine that slept, starts one run at most, and misses those that were due long ago", async () => {
  await using rig = await Rig.open({ schedule: { cron: "0 * * * *", timezone: "UTC" } });
  rig.clock.offset = 30 * HOUR + 10 * MINUTE;
  await rig.clock.advance(MINUTE);
  expect(rig.runs).toBe(0);
  expect(rig.schedule?.skipped?.reason).toMatch(/^it was missed/);
  await using eager = await Rig.open({ schedule: { cron: "0 * * * *", timezone: "UTC", catch_up: true } });
  eager.clock.offset = 30 * HOUR + 10 * MINUTE;
  await eager.clock.advance(5 * MINUTE);
  expect(eager.runs).toBe(1);
  // Set back again: the times that were handled do not come twice.
  eager.clock.offset -= 2 * HOUR;
  await eager.clock.advance(HOUR);
  expect(eager.runs).toBe(1);
});

test("a period counts time, whatever the clock is set to", async () => {
  await using rig = await Rig.open({ schedule: { every: "1h", catch_up: true } });
  rig.clock.offset = -1_000 * HOUR;
  await rig.clock.advance(59 * MINUTE);
  rig.clock.offset = 1_000 * HOUR;
  expect(rig.runs).toBe(0);
  await rig.clock.advance(2 * MINUTE);
  expect(rig.runs).toBe(1);
});

test("the next manager knows the last run, and makes up for one that was missed if the schedule says so", async () => {
  for (const [catch_up, runs] of [
    [false, 0],
    [true, 1],
  ] as const) {
    const schedule = { cron: "0 * * * *", timezone: "UTC", catch_up };
    const clock = new SettableClock();
    const dir = stateDir();
    {
      await using rig = await Rig.open({ schedule, stateDir: dir, clock });
      await clock.advance(HOUR + MINUTE);
      expect([rig.runs, rig.states.at(-1)]).toEqual([1, "stopped"]);
    }
    clock.offset += 5 * HOUR;
    await using rig = await Rig.open({ schedule, stateDir: dir, clock });
    // Its host does not know the run of before: a process that was to run would be started again now.
    await clock.advance(MINUTE);
    expect(rig.runs).toBe(runs);
    expect(rig.schedule).toMatchObject({ next_run: "2026-01-01T07:00:00.000", skipped: catch_up ? null : { count: 1 } });
    if (!catch_up) expect(rig.schedule?.last_run).toBe("2026-01-01T01:00:00.000");
    await rig.manager.close();
    rmSync(dir, { recursive: true });
    folder = undefined;
  }
});

test("a pause outlives the manager", async () => {
  const clock = new SettableClock();
  {
    await using rig = await Rig.open({ schedule: { every: "1m" }, stateDir: stateDir(), clock });
    await clock.until(rig.manager.process("job").stop());
  }
  await using rig = await Rig.open({ schedule: { every: "1m", catch_up: true }, stateDir: stateDir(), clock });
  await clock.advance(5 * MINUTE);
  expect([rig.runs, rig.schedule?.paused]).toEqual([0, true]);
});

test("a run whose host is away is left out; with catch_up it begins when the host is back", async () => {
  for (const catch_up of [false, true]) {
    await using rig = await Rig.open({ schedule: { cron: "0 * * * *", timezone: "UTC", catch_up } });
    rig.host.lose();
    await rig.clock.advance(HOUR + MINUTE);
    expect(rig.schedule).toMatchObject({ pending: catch_up, skipped: catch_up ? null : { reason: "its host cannot be reached" } });
    rig.host.restore();
    await rig.clock.advance(MINUTE);
    expect(rig.runs).toBe(catch_up ? 1 : 0);
  }
});

test("a reload keeps the last run, and other times count from then on; without a schedule nothing is started", async () => {
  await using rig = await Rig.open({ schedule: { every: "1m" } });
  await rig.clock.advance(MINUTE + 30_000);
  const configure = (schedule: unknown) => rig.manager.reload({ processes: { job: { command: "x", schedule } } } as never);
  await configure({ every: "10m", overlap: "kill" });
  await rig.clock.settle();
  expect(rig.schedule).toMatchObject({ last_run: "2026-01-01T00:01:00.000", next_run: "2026-01-01T00:11:30.000", overlap: "kill" });
  const names: string[] = [];
  rig.manager.client.frames$.subscribe((frame) => {
    if (frame.type === "schedule_remove") names.push(frame.name);
  });
  await configure("none");
  await rig.clock.advance(HOUR);
  expect([names, rig.runs, (await rig.manager.client.snapshot()).schedules]).toEqual([["job"], 1, []]);
});
