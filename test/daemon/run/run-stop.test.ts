import { describe, expect, test } from "vitest";
import type { StopStep } from "../../../src/contract/run.ts";
import type { AuxiliaryProcess } from "../../../src/daemon/process/auxiliary-process.ts";
import { RunStop } from "../../../src/daemon/run/run-stop.ts";
import { SimulatedClock } from "../../../src/testing/simulated-clock.ts";

const COMMAND: StopStep = { program: { kind: "shell", line: "stop it" }, timeout_ms: 60_000 };

/** A clock that counts its timers. */
class CountingClock extends SimulatedClock {
  readonly timers = new Set<unknown>();

  override setTimeout(callback: () => void, milliseconds: number): unknown {
    const timer = super.setTimeout(() => {
      this.timers.delete(timer);
      callback();
    }, milliseconds);
    this.timers.add(timer);
    return timer;
  }

  override clearTimeout(timer: unknown): void {
    this.timers.delete(timer);
    super.clearTimeout(timer);
  }
}

/** The stop of a run that only SIGKILL ends. */
function rig(command: AuxiliaryProcess) {
  const clock = new CountingClock();
  const done: string[] = [];
  const actions = {
    signal: (signal: string) => void done.push(signal),
    write: () => {},
    start: () => command,
    hasExited: () => false,
    whenGone: () => new Promise<void>(() => {}),
    kill: () => void done.push("kill"),
    log: () => {},
    clock,
  };
  const stop = new RunStop("'p' (pid 7)", actions);
  const begin = (...steps: StopStep[]) => {
    stop.begin(steps);
    void stop.carryOut(steps);
    return clock.settle();
  };
  return { clock, done, begin };
}

describe("a stop whose command", () => {
  test("does not end after SIGKILL continues with the next step", async () => {
    const { clock, done, begin } = rig({ pid: null, ended: new Promise(() => {}), kill: () => {} });
    await begin({ ...COMMAND, timeout_ms: 1_000 }, { signal: "SIGTERM", timeout_ms: 1_000 });
    await clock.advance(60_000);
    expect(done).toEqual(["SIGCONT", "SIGTERM", "kill"]);
  });

  test("fails leaves no timer of its step", async () => {
    const { clock, done, begin } = rig({ pid: null, ended: Promise.resolve("it ended with code 1"), kill: () => {} });
    await begin(COMMAND, { signal: "SIGTERM", timeout_ms: 1_000 });
    expect([done, clock.timers.size]).toEqual([["SIGCONT", "SIGTERM"], 1]);
  });
});
