import { filter, map, Observable, Subject } from "rxjs";
import { MgrError } from "../base/errors.ts";
import type { ClientFrame, ManagerFrame } from "../protocol/frames.ts";
import type { Process, ProcessState } from "../protocol/resources.ts";
import type { ManagerClient } from "./manager-client.ts";

export interface WaitOptions {
  /** Milliseconds until the promise rejects with `timeout`; 30 s by default. */
  timeout?: number;
}

const DEFAULT_TIMEOUT_MS = 30_000;
/** Lines of output that a rejection quotes. */
const QUOTED_LINES = 20;
/** Text that waitForOutput looks at across frames, characters. */
const MATCHED_CHARACTERS = 65_536;

type Output = Extract<ManagerFrame, { type: "process_output" }>;
type Signal = Extract<ClientFrame, { type: "send_signal" }>["signal"];
type Reached = (process: Process) => boolean;
type ProcessCommand = "start_process" | "stop_process" | "restart_process";

/** One process of a manager, over any link. Waits reject with MgrError: the reason and the last output, or `timeout`. */
export class ProcessHandle {
  readonly name: string;
  readonly #client: ManagerClient;

  constructor(client: ManagerClient, name: string) {
    this.#client = client;
    this.name = name;
  }

  /** The process as it is now. Rejects with `not_found`. */
  async get(): Promise<Process> {
    const found = (await this.#client.snapshot()).processes.find((process) => process.name === this.name);
    if (!found) throw new MgrError("not_found", `there is no process '${this.name}'`);
    return found;
  }

  /** Starts it; resolves when it is ready, or started if it has no ready state, or has already ended well. */
  start(options: WaitOptions = {}): Promise<Process> {
    return this.#command("start_process", (process) => isUp(process) || (process.state === "stopped" && process.exit !== null), options);
  }

  /** Resolves when nothing of it is left. */
  stop(options: WaitOptions = {}): Promise<Process> {
    return this.#command("stop_process", (process) => process.state === "stopped", options);
  }

  /** Resolves when a new run is ready, or started. */
  async restart(options: WaitOptions = {}): Promise<Process> {
    const before = await this.get();
    return this.#command("restart_process", (process) => isUp(process) && process.pid !== before.pid, options);
  }

  async signal(signal: Signal): Promise<void> {
    await this.#client.request({ type: "send_signal", name: this.name, signal });
  }

  /** Types into its terminal; resolves when the host has queued it. */
  async write(text: string): Promise<void> {
    await this.#client.request({ type: "send_stdin", name: this.name, text });
  }

  /** The last `lines` lines of its terminal. */
  async output(lines = 1_000): Promise<string> {
    const frame = await this.#client.request({ type: "get_process_output", name: this.name, lines });
    return frame.type === "process_output_snapshot" ? frame.output : "";
  }

  /** Live output from the moment of subscription, as text in order. */
  get output$(): Observable<string> {
    return new Observable((subscriber) => {
      const subscription = this.#outputFrames()
        .pipe(map((frame) => frame.output))
        .subscribe(subscriber);
      this.#client.link.send({ type: "subscribe_process_output", patterns: [this.name] });
      return () => {
        subscription.unsubscribe();
        this.#client.link.send({ type: "unsubscribe_process_output", patterns: [this.name] });
      };
    });
  }

  /** Resolves when it is in `state`; rejects when it fails instead. */
  async waitFor(state: ProcessState, options: WaitOptions = {}): Promise<Process> {
    const reached: Reached = (process) => process.state === state;
    const watch = this.#watch(reached, `'${state}'`, options);
    const now = await this.get();
    if (reached(now)) watch.settle(now);
    return watch.promise;
  }

  /** Resolves with the match when its output, the backlog included, matches. */
  async waitForOutput(pattern: RegExp, options: WaitOptions = {}): Promise<RegExpMatchArray> {
    const matched = new Subject<RegExpMatchArray>();
    let text = "";
    const look = (more: string) => {
      text = (text + more).slice(-MATCHED_CHARACTERS);
      const match = text.match(pattern);
      if (match) matched.next(match);
    };
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        finish();
        this.#failed("timeout", `the output of '${this.name}' did not match ${pattern} in time`).then(reject, reject);
      }, options.timeout ?? DEFAULT_TIMEOUT_MS);
      const subscriptions = [this.output$.subscribe(look), matched.subscribe((match) => finish(match))];
      const finish = (match?: RegExpMatchArray) => {
        clearTimeout(timer);
        for (const subscription of subscriptions) subscription.unsubscribe();
        if (match) resolve(match);
      };
      this.output().then(
        (backlog) => look(backlog),
        (error) => {
          finish();
          reject(error);
        },
      );
    });
  }

  async #command(type: ProcessCommand, reached: Reached, options: WaitOptions): Promise<Process> {
    // Listening first: a quick process may be through before the answer is here.
    const watch = this.#watch(reached, `the end of ${type}`, options);
    try {
      await this.#client.request({ type, name: this.name });
      const now = await this.get();
      // It may have been there already; after a restart only an upsert tells.
      if (type !== "restart_process" && reached(now)) watch.settle(now);
    } catch (error) {
      watch.settle(null);
      throw error;
    }
    return watch.promise;
  }

  /** `settle` ends it early: with the process it resolves, with null it stays pending and holds nothing any more. */
  #watch(reached: Reached, what: string, options: WaitOptions): { promise: Promise<Process>; settle: (found: Process | null) => void } {
    let settle: (found: Process | null) => void = () => {};
    const promise = new Promise<Process>((resolve, reject) => {
      const timer = setTimeout(() => {
        settle(null);
        this.#failed("timeout", `'${this.name}' did not reach ${what} in time`).then(reject, reject);
      }, options.timeout ?? DEFAULT_TIMEOUT_MS);
      const subscription = this.#client.frames$.subscribe((frame) => {
        if (frame.type !== "process_upsert" || frame.process.name !== this.name) return;
        if (reached(frame.process)) settle(frame.process);
        else if (frame.process.state === "error") {
          settle(null);
          this.#failed("conflict", `'${this.name}' failed: ${frame.process.exit?.reason ?? "see the log"}`).then(reject, reject);
        }
      });
      settle = (found) => {
        clearTimeout(timer);
        subscription.unsubscribe();
        if (found) resolve(found);
      };
    });
    return { promise, settle };
  }

  #outputFrames(): Observable<Output> {
    return this.#client.frames$.pipe(filter((frame): frame is Output => frame.type === "process_output" && frame.name === this.name));
  }

  async #failed(code: "timeout" | "conflict", message: string): Promise<MgrError> {
    const output = await this.output(QUOTED_LINES).catch(() => "");
    return new MgrError(code, output === "" ? message : `${message}\nIts last output:\n${output}`);
  }
}

function isUp(process: Process): boolean {
  return process.state === "ready" || (process.state === "started" && !process.has_ready_state);
}
