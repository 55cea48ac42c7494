import { describe, expect, it } from "vitest";
import { HEARTBEAT_LOST_MS } from "../../../src/contract/messages.ts";
import type { RunSpec } from "../../../src/contract/run.ts";
import { readMemo } from "../../../src/contract/run-memo.ts";
import type { Supervision } from "../../../src/contract/supervision.ts";
import { FakeHost } from "../../../src/testing/fake-host.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { spec } from "../support/hosts.ts";

const RESTART = {
  policy: "on-failure",
  delay: 1_000,
  factor: 2,
  max_delay: 8_000,
  max_restarts: 3,
  window: 60_000,
  reset_after: 20_000,
} as const;
/** A session ends after the first, and the host decides after the second of these; both are checked each second. */
const UNTIL_ALONE_MS = 2 * HEARTBEAT_LOST_MS + 2_000;

function supervised(name: string, changes: Partial<Supervision> = {}, more: Partial<RunSpec> = {}): RunSpec {
  const supervision = { restart: RESTART, success_exit_codes: [0], ready_timeout_ms: null, depends_on: [], ...changes };
  return spec(name, name, { ...more, supervision });
}

/** A host that a manager greeted, and the runs that it began. */
class Rig {
  readonly clock = new SimulatedClock();
  readonly host = new FakeHost({ clock: this.clock });
  readonly begun: { name: string; run_id: string; time: number }[] = [];
  session = "";
  #runs = 0;

  constructor() {
    this.host.listen({
      onEvent: ({ kind, run: { name, run_id } }) => {
        if (kind === "spawned") this.begun.push({ name, run_id, time: this.clock.monotonic() });
      },
    });
  }

  async hello(epoch = 1) {
    const answer = await this.host.request("hello", { epoch, manager_pid: 1, contracts: [1] });
    this.session = answer.session;
    return answer;
  }

  async spawn(run: RunSpec): Promise<string> {
    const run_id = `1-${++this.#runs}`;
    await this.host.request("spawn", { session: this.session, run_id, spec: run, memo: "" });
    return run_id;
  }

  supervise(...processes: [string, boolean][]) {
    return this.host.request("supervise", { session: this.session, processes, start_rate: null });
  }

  /** Lets the manager be silent until the host acts alone. */
  alone(): Promise<void> {
    return this.clock.advance(UNTIL_ALONE_MS);
  }

  runsOf(name: string): string[] {
    return this.begun.flatMap((run) => (run.name === name ? run.run_id : []));
  }
}

async function open(...runs: RunSpec[]): Promise<Rig> {
  const rig = new Rig();
  await rig.hello();
  for (const run of runs) await rig.spawn(run);
  return rig;
}

describe("a host without a manager", () => {
  it("restarts nothing before it has had no session for the time after which a manager counts as lost", async () => {
    const rig = await open(supervised("a"));
    await rig.clock.advance(2 * HEARTBEAT_LOST_MS - 1_000);
    rig.host.process("a").exit(1);
    await rig.clock.advance(900);
    expect(rig.runsOf("a")).toEqual(["1-1"]);
    await rig.clock.advance(3_000);
    expect(rig.runsOf("a")).toEqual(["1-1", "1-1-1"]);
  });

  it("makes up for a restart that was due before it acted alone, at once", async () => {
    const rig = await open(supervised("a"));
    rig.host.process("a").exit(1);
    await rig.alone();
    expect(rig.runsOf("a")).toEqual(["1-1", "1-1-1"]);
  });

  it("waits for the delays of the policy, counts, and gives up in a crash loop", async () => {
    const rig = await open(supervised("a"));
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
    const rig = await open(supervised("done"), supervised("stopped"), supervised("never", never), spec("unsupervised", "x"));
    await rig.supervise(["stopped", false]);
    await rig.alone();
    rig.host.process("done").exit(0);
    for (const name of ["stopped", "never", "unsupervised"]) rig.host.process(name).exit(1);
    await rig.clock.advance(60_000);
    expect(rig.begun).toHaveLength(4);
  });

  it("does not undo a stop that the manager requested, and completes a restart that it had begun", async () => {
    const rig = await open(supervised("stopped"), supervised("restarted"));
    const steps = [{ signal: "SIGTERM", timeout_ms: 1_000 }];
    await rig.host.request("stop", { session: rig.session, run_id: "1-1", steps, wanted: false });
    await rig.host.request("stop", { session: rig.session, run_id: "1-2", steps, wanted: true });
    await rig.alone();
    expect(rig.begun.map(({ run_id }) => run_id)).toEqual(["1-1", "1-2", "1-2-1"]);
  });

  it("stops and restarts a run whose probe fails, and one that does not become ready in time", async () => {
    const ready = { ready: { kind: "regex", pattern: "up" } } as const;
    const rig = await open(supervised("sick"), supervised("slow", { ready_timeout_ms: 30_000 }, ready));
    // Without a script, the fake program is ready at once.
    rig.host.process("sick").unhealthy("not alive");
    await rig.alone();
    await rig.clock.advance(2_000);
    expect(rig.runsOf("sick")).toEqual(["1-1", "1-1-1"]);
  });

  it("restarts a process only while its dependencies on the host hold", async () => {
    const ready = { ready: { kind: "regex", pattern: "up" } } as const;
    const rig = await open(
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
    const rig = await open(supervised("a"));
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
    await rig.supervise();
    expect((await rig.hello(2)).alone).toBeUndefined();
  });

  it("refuses a run that a manager decided on before it knew of the host's own", async () => {
    const rig = await open(supervised("a"));
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
