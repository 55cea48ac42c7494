import { describe, expect, it } from "vitest";
import { HEARTBEAT_LOST_MS } from "../../../src/contract/messages.ts";
import type { RunReport, RunSpec } from "../../../src/contract/run.ts";
import { KeptRequests } from "../../../src/daemon/supervision/kept-requests.ts";
import { Supervisor } from "../../../src/daemon/supervision/supervisor.ts";
import { supervisorState } from "../../../src/daemon/supervision/supervisor-state.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";
import { ended, report } from "../../support/fakes/run-reports.ts";
import { MemoryStore } from "../support/memory-store.ts";
import { supervised } from "../support/supervision-rig.ts";

interface Run {
  readonly id: string;
  readonly spec: RunSpec;
  report: RunReport;
  stop(): void;
}

/** The runs of a daemon, which stay when its program is replaced. */
class Machine {
  readonly clock = new SimulatedClock();
  readonly runs = new Map<string, Run>();
  readonly started: string[] = [];
  supervisor = this.#program();

  run(spec: RunSpec, id: string): Run {
    const run: Run = { id, spec, report: report(id, { name: spec.name }), stop: () => {} };
    this.runs.set(spec.name, run);
    this.supervisor.runChanged("spawned", run);
    return run;
  }

  crash(run: Run): void {
    run.report = { ...run.report, ...ended(1) };
    this.supervisor.runChanged("exited", run);
    run.report = { ...run.report, extinct: true };
    this.supervisor.runChanged("extinct", run);
  }

  /** The state goes through JSON, as it does in the memory file. */
  replaceProgram(): void {
    const state = supervisorState.parse(JSON.parse(JSON.stringify(this.supervisor.handOver())));
    this.supervisor.close();
    this.supervisor = this.#program();
    this.supervisor.take(state);
  }

  #program(): Supervisor<Run> {
    const { runs } = this;
    return new Supervisor({
      clock: this.clock,
      runs: {
        get all() {
          return [...runs.values()];
        },
        newest: (name) => runs.get(name),
        started: (name) => runs.get(name),
      },
      start: async ({ run_id, spec }) => {
        this.started.push(run_id);
        this.run(spec, run_id);
      },
      log: () => {},
    });
  }
}

const A = supervised("a");

/** A host whose manager wants this process. */
function wanting(): { machine: Machine; run: Run } {
  const machine = new Machine();
  machine.supervisor.startRequested("a");
  return { machine, run: machine.run(A, "1-1") };
}

describe("the supervision of a host whose daemon replaces its program", () => {
  it("begins after the time in which a manager can come back, where there was one", async () => {
    const { machine, run } = wanting();
    machine.crash(run);
    machine.replaceProgram();
    await machine.clock.advance(HEARTBEAT_LOST_MS - 100);
    expect(machine.started).toEqual([]);
    await machine.clock.advance(1_200);
    expect(machine.started).toEqual(["1-1-1"]);
  });

  it("continues without a manager: delays, and what the next manager is told of both programs", async () => {
    const { machine, run } = wanting();
    const from = machine.clock.now() + HEARTBEAT_LOST_MS;
    machine.supervisor.sessionEnded();
    await machine.clock.advance(HEARTBEAT_LOST_MS);
    machine.crash(run);
    await machine.clock.advance(1_000);
    expect(machine.started).toEqual(["1-1-1"]);
    const second = machine.runs.get("a") ?? expect.fail("it was not restarted");
    machine.crash(second);
    machine.replaceProgram();
    // The delay of the second failure in a row.
    await machine.clock.advance(2_100);
    expect(machine.started).toEqual(["1-1-1", "1-1-2"]);
    await machine.supervisor.sessionBegan();
    expect(machine.supervisor.last).toMatchObject({ from, restarts: 2 });
    expect(machine.supervisor.pastRuns.map(({ run_id }) => run_id)).toEqual(["1-1", "1-1-1"]);
  });

  it("tells a manager of a time without one that has ended before", async () => {
    const { machine, run } = wanting();
    machine.supervisor.sessionEnded();
    await machine.clock.advance(HEARTBEAT_LOST_MS);
    machine.crash(run);
    await machine.clock.advance(1_000);
    await machine.supervisor.sessionBegan();
    const told = machine.supervisor.last;
    machine.replaceProgram();
    expect(machine.supervisor.last).toEqual(told);
    expect(told).toMatchObject({ restarts: 1 });
  });
});

describe("what is requested, when the daemon replaces its program", () => {
  const session = { is_first: true, start_rate: null, on_boot: "resume", cgroups: [] } as const;

  it("is kept, also what was not written yet; nothing is resumed, and a stop is not undone", async () => {
    const clock = new SimulatedClock();
    const store = new MemoryStore(clock);
    const options = { store, clock, bootId: "boot", log: () => {} };
    const before = new KeptRequests(options);
    before.begin();
    for (const [name, id] of [
      ["a", "1-1"],
      ["b", "1-2"],
    ] as const) {
      before.startRequested(name);
      before.began({ spec: supervised(name), id, report: { rows: 24, cols: 80 } });
    }
    before.supervise({
      ...session,
      processes: [
        ["a", true],
        ["b", true],
      ],
    });
    await clock.advance(1_000);
    before.stopRequested("b");
    await before.quiet();
    before.startRequested("b");
    before.stopRequested("b");
    const taken = { ...before.handOver(), state: JSON.parse(JSON.stringify(before.handOver().state)) as unknown };
    const after = new KeptRequests({ ...options, taken });
    expect(after.begin()).toBeNull();
    await clock.advance(1_000);
    const kept = () => store.read()?.content.processes.map(({ run_id, spec }) => [spec.name, run_id]);
    expect(kept()).toEqual([["a", "1-1"]]);
    await after.close();
    // The next boot.
    const next = new KeptRequests({ ...options, bootId: "another" });
    expect(next.begin()?.processes.map(({ spec }) => spec.name)).toEqual(["a"]);
    await next.close();
  });

  it("is said by the next manager if the state has another shape", async () => {
    const clock = new SimulatedClock();
    const store = new MemoryStore(clock);
    const logged: string[] = [];
    const options = { store, clock, bootId: "boot", log: (_level: string, msg: string) => void logged.push(msg) };
    const after = new KeptRequests({ ...options, taken: { state: { version: 9 }, descriptors: {}, bytes: {} } });
    expect(after.begin()).toBeNull();
    expect(logged).toHaveLength(1);
    await after.close();
  });
});
