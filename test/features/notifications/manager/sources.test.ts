import { expect, test } from "vitest";
import { type ConditionChange, Conditions } from "../../../../src/app/conditions.ts";
import { observeHost } from "../../../../src/features/notifications/manager/host-conditions.ts";
import { ProcessConditions } from "../../../../src/features/notifications/manager/process-conditions.ts";
import type { HostEntry, Process, ProcessState } from "../../../../src/protocol/resources/resources.ts";

class Rig {
  readonly conditions = new Conditions((error) => {
    throw error;
  });
  readonly changes: string[] = [];
  process: Pick<Process, "name" | "host" | "state" | "has_ready_state" | "restarting" | "exit"> = {
    name: "sim/a",
    host: "h",
    state: "stopped",
    has_ready_state: true,
    restarting: false,
    exit: { code: 3, signal: null, reason: null, time: "2026-11-26T08:00:00.000" },
  };
  isShuttingDown = false;
  readonly #states: ProcessConditions;

  constructor({ essential = false } = {}) {
    this.conditions.subscribe((change: ConditionChange) =>
      this.changes.push(
        change.kind === "raised" ? `${change.condition.kind}: ${change.condition.text}` : `${change.condition.kind} ${change.end}`,
      ),
    );
    this.#states = new ProcessConditions({
      conditions: this.conditions,
      process: () => this.process as Process,
      isEssential: () => essential,
      isShuttingDown: () => this.isShuttingDown,
    });
  }

  /** The process changes its state, as the manager publishes it. */
  to(to: ProcessState, reason: string | null = null, more: Partial<Process> = {}): this {
    const from = this.process.state;
    this.process = { ...this.process, ...more, state: to };
    this.#states.observe({ type: "process_upsert", process: this.process as Process });
    this.#states.observe({ type: "process_transition", name: "sim/a", from, to, reason });
    return this;
  }
}

test("a failed process is a condition until it is ready again", () => {
  const rig = new Rig().to("starting").to("error", "exited with code 3").to("starting").to("started");
  expect(rig.changes).toEqual(["failed: process sim/a failed: exited with code 3"]);
  rig.to("ready");
  expect(rig.changes.slice(1)).toEqual(["failed recovered"]);
});

test("a process that is stopped does not recover", () => {
  const rig = new Rig().to("error", "exited with code 3").to("stopped");
  expect(rig.changes.slice(1)).toEqual(["failed ended"]);
});

test("failures are told apart: late, restarted, crash loop; one replaces the other", () => {
  const rig = new Rig()
    .to("backoff", "not ready within 5 s", { restarting: true })
    .to("starting")
    .to("backoff", "killed by SIGSEGV")
    .to("ready")
    .to("error", "crash loop: restarted 3 times within 60 s, at last killed by SIGSEGV", { restarting: false });
  expect(rig.changes).toEqual([
    "not_ready: process sim/a failed and is restarted: not ready within 5 s",
    "not_ready ended",
    "restarting: process sim/a failed and is restarted: killed by SIGSEGV",
    "restarting ended",
    "crash_loop: process sim/a failed: crash loop: restarted 3 times within 60 s, at last killed by SIGSEGV",
  ]);
});

test("a restarted process recovers when a run has lasted, not when it is up for a moment", () => {
  const rig = new Rig().to("backoff", "exited with code 3", { restarting: true }).to("starting").to("ready");
  expect(rig.changes).toHaveLength(1);
  rig.to("ready", null, { restarting: false });
  expect(rig.changes.slice(1)).toEqual(["restarting recovered"]);
});

test("an essential process that ends by itself is a condition, one that is stopped is not", () => {
  expect(new Rig({ essential: true }).to("ready").to("stopping").to("stopped").changes).toEqual([]);
  expect(new Rig({ essential: true }).to("ready").to("stopped").changes).toEqual([
    expect.stringMatching(/^essential_ended: essential process sim\/a ended: /),
  ]);
  expect(new Rig({ essential: true }).to("error", "no such file").changes.map((text) => text.split(":")[0])).toEqual([
    "failed",
    "essential_ended",
  ]);
});

test("the stop of every process at the end of the manager does not end the condition of the essential process that caused it", () => {
  const rig = new Rig({ essential: true }).to("error", "exited with code 3");
  rig.isShuttingDown = true;
  rig.to("stopped");
  expect(rig.changes.map((text) => text.split(":")[0])).toEqual(["failed", "essential_ended", "failed ended"]);
});

test("what a process has written into a reason cannot act on a terminal", () => {
  expect(new Rig().to("error", "x\x1b[2J").changes).toEqual(["failed: process sim/a failed: x\\x1b[2J"]);
});

test("a host is lost until it is ready again; while it is greeted nothing is decided", () => {
  const { conditions, changes } = new Rig();
  const host = (state: HostEntry["state"]) => observeHost(conditions, { type: "host_upsert", host: { name: "robot", state } as HostEntry });
  for (const state of ["ready", "lost", "greeting", "ready", "died"] as const) host(state);
  observeHost(conditions, { type: "host_remove", name: "robot" });
  expect(changes).toEqual([
    "host_lost: host robot does not answer",
    "host_lost recovered",
    "host_lost: host robot has lost its daemon",
    "host_lost ended",
  ]);
});
