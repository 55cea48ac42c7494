import { describe, expect, it } from "vitest";
import { HEARTBEAT_LOST_MS } from "../../../src/contract/messages.ts";
import { readMemo } from "../../../src/contract/run-memo.ts";
import { spec } from "../support/hosts.ts";
import { openRig, RESTART, SupervisionRig, supervised } from "../support/supervision-rig.ts";

describe("a host without a manager", () => {
  it("restarts nothing before it has had no session for the time after which a manager counts as lost", async () => {
    const rig = await openRig(supervised("a"));
    await rig.clock.advance(2 * HEARTBEAT_LOST_MS - 1_000);
    rig.host.process("a").exit(1);
    await rig.clock.advance(900);
    expect(rig.runsOf("a")).toEqual(["1-1"]);
    await rig.clock.advance(3_000);
    expect(rig.runsOf("a")).toEqual(["1-1", "1-1-1"]);
  });

  it("makes up for a restart that was due before it acted alone, at once", async () => {
    const rig = await openRig(supervised("a"));
    rig.host.process("a").exit(1);
    await rig.alone();
    expect(rig.runsOf("a")).toEqual(["1-1", "1-1-1"]);
  });

  it("waits for the delays of the policy, counts, and gives up in a crash loop", async () => {
    const rig = await openRig(supervised("a"));
    await rig.alone();
    const ends: number[] = [];
    for (let crash = 0; crash < 4; crash++) {
      ends.push(rig.clock.monotonic());
      rig.host.process("a").exit(1);
      await rig.clock.advance(10_000);
    }
    const delays = rig.begun.slice(1).map(({ time }, index) => time - (ends[index] ?? 0));
    expect(delays).toEqual([1_000, 2_000, 4_000]);
    expect(rig.runsOf("a")).toEqual(["1-1", "1-1-1", "1-1-2", "1-1-3"]);
    const { runs } = await rig.host.request("report", { session: (await rig.hello(2)).session, after: null });
    expect(readMemo(runs[0]?.memo ?? "", 0)).toMatchObject({ restarts: 3, attempt: 3, failures: 3 });
  });

  it("restarts neither a run that ended well, nor a process that is not wanted, nor one with the policy never", async () => {
    const never = { restart: { ...RESTART, policy: "never" as const } };
    const rig = await openRig(supervised("done"), supervised("stopped"), supervised("never", never), spec("unsupervised", "x"));
    await rig.supervise([["stopped", false]]);
    await rig.alone();
    rig.host.process("done").exit(0);
    for (const name of ["stopped", "never", "unsupervised"]) rig.host.process(name).exit(1);
    await rig.clock.advance(60_000);
    expect(rig.begun).toHaveLength(4);
  });

  it("does not restart what a manager did not name in its first message, such as a process that moved to another host", async () => {
    const rig = await openRig(supervised("moved"), supervised("kept"));
    await rig.supervise([["kept", true]], { is_first: true });
    await rig.alone();
    for (const name of ["moved", "kept"]) rig.host.process(name).exit(1);
    await rig.clock.advance(2_000);
    expect(rig.begun.slice(2).map(({ name }) => name)).toEqual(["kept"]);
  });

  it("does not undo a stop that the manager requested, and completes a restart that it had begun", async () => {
    const rig = await openRig(supervised("stopped"), supervised("restarted"));
    const steps = [{ signal: "SIGTERM", timeout_ms: 1_000 }];
    await rig.host.request("stop", { session: rig.session, run_id: "1-1", steps, wanted: false });
    await rig.host.request("stop", { session: rig.session, run_id: "1-2", steps, wanted: true });
    await rig.alone();
    expect(rig.begun.map(({ run_id }) => run_id)).toEqual(["1-1", "1-2", "1-2-1"]);
  });

  it("stops and restarts a run whose probe fails", async () => {
    const rig = await openRig(supervised("sick"));
    rig.host.process("sick").unhealthy("not alive");
    await rig.alone();
    await rig.clock.advance(2_000);
    expect(rig.runsOf("sick")).toEqual(["1-1", "1-1-1"]);
  });

  it("reports the failure for which it stops a run to a manager that comes before the next run", async () => {
    const rig = await openRig(supervised("sick"));
    await rig.alone();
    rig.host.process("sick").on("SIGTERM", () => {});
    rig.host.process("sick").unhealthy("not alive");
    const { session } = await rig.hello();
    const { runs } = await rig.host.request("report", { session, after: null });
    expect(runs).toMatchObject([{ stopping: true, stop_cause: { reason: "not alive", recycled: false } }]);
  });

  it.each([
    ["that began before", 0],
    ["whose start was in progress when it lost its manager", 15_000],
  ])("stops and restarts a run %s if it does not become ready in time", async (_which, spawn_delay) => {
    const rig = new SupervisionRig({ programs: { slow: { spawn_delay, script: (run) => run.sleep(1_000_000) } } });
    await rig.hello();
    const begun = rig.spawn(supervised("slow", { ready_timeout_ms: 30_000 }, { ready: { kind: "regex", pattern: "up" } }));
    // The manager's request is carried out, although the answer reaches nobody.
    const answered = begun.catch(() => null);
    await rig.clock.advance(spawn_delay + 29_000);
    expect(rig.runsOf("slow")).toEqual(["1-1"]);
    await rig.clock.advance(2_500 + spawn_delay);
    await answered;
    expect(rig.runsOf("slow")).toEqual(["1-1", "1-1-1"]);
  });

  it("restarts a process only while its dependencies on the host hold", async () => {
    const ready = { ready: { kind: "regex", pattern: "up" } } as const;
    const rig = await openRig(
      supervised("base", { restart: { ...RESTART, delay: 5_000 } }, ready),
      supervised("driver", { depends_on: [{ name: "base", condition: "ready" }] }),
    );
    await rig.alone();
    rig.host.process("base").exit(1);
    rig.host.process("driver").exit(1);
    await rig.clock.advance(4_000);
    expect(rig.begun).toHaveLength(2);
    await rig.clock.advance(1_500);
    expect(rig.begun.slice(2).map(({ name }) => name)).toEqual(["base", "driver"]);
  });

  it("decides nothing from the next hello on, and reports what it did", async () => {
    const rig = await openRig(supervised("a"));
    await rig.alone();
    rig.host.process("a").exit(1);
    await rig.clock.advance(1_100);
    rig.host.process("a").exit(3);
    const { alone } = await rig.hello(2);
    expect(alone).toMatchObject({ restarts: 1 });
    await rig.clock.advance(5_000);
    expect(rig.runsOf("a")).toEqual(["1-1", "1-1-1"]);
    const { data } = await rig.host.request("past_runs", { session: rig.session });
    expect(JSON.parse(Buffer.from(data).toString())).toMatchObject([{ name: "a", run_id: "1-1", exit: { code: 1 } }]);
    await rig.supervise([]);
    expect((await rig.hello(2)).alone).toBeUndefined();
  });

  it("refuses a run that a manager decided on before it knew of the host's own", async () => {
    const rig = await openRig(supervised("a"));
    await rig.alone();
    rig.host.process("a").exit(1);
    await rig.clock.advance(1_100);
    rig.host.process("a").exit(1);
    const { session } = await rig.hello();
    const spawn = (after: string) => rig.host.request("spawn", { session, run_id: "1-9", spec: supervised("a"), memo: "", after });
    await expect(spawn("1-1")).rejects.toMatchObject({ code: "conflict" });
    expect((await spawn("1-1-1")).run.run_id).toBe("1-9");
  });
});
