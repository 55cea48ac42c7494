import { type CreateOptions, createManager, type EmbeddedManager } from "../app/index.ts";
import type { ConfigInput } from "../config/schema/schema.ts";
import { FakeHost, type HostAnswers } from "./fake-host.ts";
import type { FakePrograms } from "./fake-program.ts";
import { Recorder } from "./recorder.ts";
import { SimulatedClock } from "./simulated-clock.ts";

export interface BenchOptions extends Omit<CreateOptions, "clock" | "host"> {
  /** Programs that replace the configured commands, by process name or fnmatch pattern. */
  programs?: FakePrograms;
  /** Answers of the host to requests that fake hosts do not support. */
  answers?: HostAnswers;
  /** Wall time at the beginning, as the protocol writes it: `2026-01-01T00:00:00.000`. */
  begin?: string;
}

/** A manager on a fake host in simulated time: every run of a test gives the same ids, pids, times and order. */
export interface Bench extends AsyncDisposable {
  readonly manager: EmbeddedManager;
  readonly clock: SimulatedClock;
  readonly host: FakeHost;
  /** Records from the beginning. */
  readonly recorder: Recorder;
  /** Advances simulated time until `promise` settles (`SimulatedClock.until`). */
  until<T>(promise: Promise<T>, options?: { within?: number }): Promise<T>;
  /** Advances simulated time, milliseconds. */
  advance(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

/** See `Bench`. Rejects with ConfigError. */
export async function createBench(config: ConfigInput | string, options: BenchOptions = {}): Promise<Bench> {
  const { programs = {}, answers = {}, begin, ...rest } = options;
  const clock = new SimulatedClock(begin);
  const host = new FakeHost({ clock, programs, answers });
  const manager = await createManager(config, { ...rest, clock, host });
  const recorder = new Recorder(manager);
  const close = async () => {
    recorder[Symbol.dispose]();
    await manager.close();
  };
  return {
    manager,
    clock,
    host,
    recorder,
    until: (promise, within) => clock.until(promise, within),
    advance: (milliseconds) => clock.advance(milliseconds),
    close,
    [Symbol.asyncDispose]: close,
  };
}
