import { describe, expect, it } from "vitest";
import type { RunSpec } from "../../../src/contract/run.ts";
import { planResumption } from "../../../src/daemon/supervision/resumption.ts";
import { RESTART, SupervisionRig, supervised } from "../support/supervision-rig.ts";

const UP = { ready: { kind: "regex", pattern: "up" } } as const;
/** The time after which a host without a manager acts by itself, and a little more, milliseconds. */
const UNTIL_RESUMED_MS = 6_100;
const REQUESTED = { on_boot: "resume", is_first: true } as const;

/** A host of `on_boot: resume` whose manager has started these processes, and said that they are wanted. */
async function openRig(runs: readonly RunSpec[], options: ConstructorParameters<typeof SupervisionRig>[0] = {}): Promise<SupervisionRig> {
  const rig = new SupervisionRig({ keep: true, ...options });
  await rig.hello();
  for (const run of runs) await rig.spawn(run);
  await rig.supervise(
    runs.map(({ name }) => [name, true]),
    REQUESTED,
  );
  return rig;
}

/** The power fails, and comes back. */
async function reboot(rig: SupervisionRig, offMs = 30_000): Promise<void> {
  // What changes within the time of one write before a power cut may be lost.
  await rig.clock.advance(1_000);
  rig.host.die();
  rig.begun.length = 0;
  await rig.clock.advance(offMs);
  rig.host.restore();
}

const namesOf = (rig: SupervisionRig) => rig.begun.map(({ name }) => name);

describe("a host that boots without a manager", () => {
  it("starts what was requested before, in the order of dependencies, each when what it needs is ready", async () => {
    const rig = await openRig(
      [
        supervised("app", { depends_on: [{ name: "base", condition: "ready" }] }),
        supervised("base", { depends_on: [{ name: "job", condition: "completed" }] }, UP),
        supervised("job"),
      ],
      { programs: { base: (run) => run.sleep(3_000).then(() => run.print("up")), job: (run) => run.sleep(1_000).then(() => 0) } },
    );
    // It has ended well: it is not restarted by its policy, but it is requested, and others need it.
    await rig.supervise([["job", false]], { on_boot: "resume", requested: ["job"] });
    await reboot(rig);
    await rig.clock.advance(UNTIL_RESUMED_MS - 200);
    expect(rig.begun).toEqual([]);
    const began = rig.clock.monotonic();
    await rig.clock.advance(10_000);
    expect(rig.begun.map(({ name, run_id }) => [name, run_id])).toEqual([
      ["job", "1-3-1"],
      ["base", "1-2-1"],
      ["app", "1-1-1"],
    ]);
    const seconds = rig.begun.map(({ time }) => Math.floor((time - began) / 1_000));
    expect(seconds).toEqual([0, 1, 4]);
    const { alone } = await rig.hello(2);
    expect(alone).toMatchObject({ restarts: 0, resumed: { processes: 3, after: "boot" } });
  });

  it("starts nothing if it waits for the manager, as by default", async () => {
    const rig = await openRig([supervised("a")]);
    await rig.supervise([["a", true]], { on_boot: "wait" });
    await reboot(rig);
    await rig.clock.advance(60_000);
    expect(rig.begun).toEqual([]);
    expect(rig.disk.text).toBeNull();
  });

  it("does not start what was stopped, what the manager no longer named, and what belongs to a host that must not run alone", async () => {
    const rig = await openRig([supervised("stopped"), supervised("removed"), supervised("kept")]);
    await rig.host.request("stop", {
      session: rig.session,
      run_id: "1-1",
      steps: [{ signal: "SIGTERM", timeout_ms: 1_000 }],
      wanted: false,
    });
    await rig.hello();
    await rig.supervise([["kept", true]], REQUESTED);
    await reboot(rig);
    await rig.clock.advance(60_000);
    expect(namesOf(rig)).toEqual(["kept"]);

    await rig.host.request("hello", { epoch: 2, manager_pid: 1, contracts: [1], stop_after_ms: 60_000 });
    await reboot(rig);
    await rig.clock.advance(60_000);
    expect(rig.begun).toEqual([]);
  });

  it("leaves everything to a manager that greets it in time", async () => {
    const rig = await openRig([supervised("a")]);
    await reboot(rig);
    await rig.clock.advance(5_000);
    await rig.hello(2);
    for (let beat = 0; beat < 20; beat++) {
      rig.host.heartbeat(rig.session);
      await rig.clock.advance(1_000);
    }
    expect(rig.begun).toEqual([]);
  });

  it("starts nothing more when the manager comes in the middle, and the manager has what was started", async () => {
    const rig = await openRig([supervised("base", {}, UP), supervised("app", { depends_on: [{ name: "base", condition: "ready" }] })], {
      programs: { base: (run) => run.sleep(20_000).then(() => run.print("up")) },
    });
    await reboot(rig);
    await rig.clock.advance(UNTIL_RESUMED_MS);
    const { session, alone } = await rig.hello(2);
    expect(alone?.resumed).toMatchObject({ processes: 1 });
    for (let beat = 0; beat < 30; beat++) {
      rig.host.heartbeat(session);
      await rig.clock.advance(1_000);
    }
    expect(namesOf(rig)).toEqual(["base"]);
    const { runs } = await rig.host.request("report", { session, after: null });
    expect(runs).toMatchObject([{ name: "base", run_id: "1-1-1", exit: null }]);
  });

  it("starts the rest if that manager is lost before it started everything, and only what it wanted", async () => {
    const rig = await openRig([supervised("a"), supervised("b"), supervised("c")]);
    await reboot(rig);
    await rig.clock.advance(1_000);
    await rig.hello(2);
    await rig.supervise([["a", true]], REQUESTED);
    await rig.supervise([["b", false]], { on_boot: "resume", requested: ["b"] });
    await rig.alone();
    expect(namesOf(rig)).toEqual(["a"]);
  });

  it("restarts what crashes by its policy, gives up in a crash loop, and starts it again after the next boot", async () => {
    const rig = await openRig([supervised("loop"), supervised("fine")], { programs: { loop: (run) => run.sleep(100).then(() => 1) } });
    await reboot(rig);
    await rig.clock.advance(UNTIL_RESUMED_MS + 20_000);
    expect(rig.runsOf("loop")).toEqual(["1-1-1", "1-1-2", "1-1-3", "1-1-4"]);
    expect(rig.runsOf("fine")).toEqual(["1-2-1"]);
    expect((await rig.hello(2)).alone).toMatchObject({ restarts: RESTART.max_restarts, resumed: { processes: 2 } });
    await reboot(rig);
    await rig.clock.advance(UNTIL_RESUMED_MS);
    expect(rig.begun.map(({ run_id }) => run_id)).toEqual(["1-1-5", "1-2-2"]);
  });

  it("gives up when three daemons in a row ended soon after it: what they started may be the reason", async () => {
    const rig = await openRig([supervised("a")]);
    for (let boot = 1; boot <= 4; boot++) {
      await reboot(rig);
      await rig.clock.advance(20_000);
      expect(rig.runsOf("a")).toEqual(boot <= 3 ? [`1-1-${boot}`] : []);
    }
  });

  it("counts boots anew once a daemon has run for five minutes", async () => {
    const rig = await openRig([supervised("a")]);
    for (let boot = 1; boot <= 5; boot++) {
      await reboot(rig);
      await rig.clock.advance(boot === 2 ? 310_000 : 20_000);
      expect(rig.runsOf("a")).toEqual([`1-1-${boot}`]);
    }
  });

  it("waits for the manager if the last daemon ended more than a day ago, also after a further boot", async () => {
    const rig = await openRig([supervised("a")]);
    await reboot(rig, 24 * 3_600_000 + 1_000);
    await rig.clock.advance(20_000);
    await reboot(rig, 1_000);
    await rig.clock.advance(20_000);
    expect(rig.begun).toEqual([]);
  });

  it("starts what was requested long ago, if its last daemon ended a moment ago", async () => {
    const rig = await openRig([supervised("a")]);
    await rig.clock.advance(30 * 3_600_000);
    await reboot(rig);
    await rig.clock.advance(UNTIL_RESUMED_MS);
    expect(namesOf(rig)).toEqual(["a"]);
  });
});

it("what depends on a process of another host, or on one that is not started, waits for the manager and is named", () => {
  const kept = [
    supervised("a", { other_hosts: ["db"] }),
    supervised("b", { depends_on: [{ name: "a", condition: "started" }] }),
    supervised("c", { depends_on: [{ name: "d", condition: "started" }] }),
    supervised("d"),
    supervised("e", { depends_on: [{ name: "living", condition: "started" }] }),
  ].map((spec) => ({ spec, runId: "1-1-1" }));
  const { start, waiting } = planResumption(kept, (name) => name === "living");
  expect(start.map(({ spec }) => spec.name)).toEqual(["c", "d", "e"]);
  expect(waiting).toEqual(["'a' (it depends on 'db' of another host)", "'b' (it depends on 'a', which is not started)"]);
});
