import { map, type Observable, Subscription } from "rxjs";
import { MgrError } from "../base/errors.ts";
import type { ClientFrame, ManagerFrame } from "../protocol/frames.ts";
import type { Process, ProcessState } from "../protocol/resources.ts";
import { exitText } from "./exit-text.ts";
import type { ManagerClient } from "./manager-client.ts";
import { OutputJoin } from "./output-join.ts";

export interface WaitOptions {
  /** Milliseconds until the promise rejects with `timeout`; 30 s by default. */
  timeout?: number;
}

const DEFAULT_TIMEOUT_MS = 30_000;
/** Lines of backlog where nobody says how many. */
const BACKLOG_LINES = 1_000;
/** Lines of output that a rejection quotes. */
const QUOTED_LINES = 20;
/** Text that waitForOutput looks at across frames, characters. */
const MATCHED_CHARACTERS = 65_536;

type Signal = Extract<ClientFrame, { type: "send_signal" }>["signal"];
type ProcessCommand = "start_process" | "stop_process" | "restart_process";

interface Goal {
  /** What is waited for, for the sentence of a time-out. */
  readonly what: string;
  readonly reached: (process: Process) => boolean;
  /** Sent before waiting. */
  readonly command?: ProcessCommand;
}

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
  async start(options: WaitOptions = {}): Promise<Process> {
    const before = await this.get();
    const reached = (process: Process) => isUp(process) || endedSince(before, process);
    return this.#until({ what: "the end of its start", reached, command: "start_process" }, options);
  }

  /** Resolves when nothing of it is left. */
  stop(options: WaitOptions = {}): Promise<Process> {
    const reached = (process: Process) => process.state === "stopped";
    return this.#until({ what: "the end of its stop", reached, command: "stop_process" }, options);
  }

  /** Resolves when a new run is ready, or started, or has already ended well. */
  async restart(options: WaitOptions = {}): Promise<Process> {
    const before = await this.get();
    const reached = (process: Process) => (isUp(process) && !isSameRun(before, process)) || endedSince(before, process);
    return this.#until({ what: "the end of its restart", reached, command: "restart_process" }, options);
  }

  async signal(signal: Signal): Promise<void> {
    await this.#client.request({ type: "send_signal", name: this.name, signal });
  }

  /** Types into its terminal; resolves when the host has queued it. */
  async write(text: string): Promise<void> {
    await this.#client.request({ type: "send_stdin", name: this.name, text });
  }

  /** The last `lines` lines of its terminal. */
  async output(lines = BACKLOG_LINES): Promise<string> {
    return (await this.#backlog(lines)).output;
  }

  /** Live output from the moment of subscription, as text in order. */
  get output$(): Observable<string> {
    return this.#client.output$(this.name).pipe(map((frame) => frame.output));
  }

  /** Resolves when it is in `state`; rejects when it fails instead. */
  waitFor(state: ProcessState, options: WaitOptions = {}): Promise<Process> {
    return this.#until({ what: `'${state}'`, reached: (process) => process.state === state }, options);
  }

  /** Resolves with the match when its output, the backlog included, matches. */
  waitForOutput(pattern: RegExp, options: WaitOptions = {}): Promise<RegExpMatchArray> {
    const what = `output that matches ${pattern}`;
    return this.#wait(what, options, ({ subscription, resolve, reject }) => {
      const join = new OutputJoin();
      let text = "";
      const look = (more: string) => {
        text = (text + more).slice(-MATCHED_CHARACTERS);
        const match = text.match(pattern);
        if (match) resolve(match);
      };
      subscription.add(this.#client.output$(this.name).subscribe((frame) => look(join.live(frame))));
      this.#backlog(BACKLOG_LINES).then((frame) => look(join.backlog(frame)), reject);
    });
  }

  /** Waits for a goal; `error`, or a stop by somebody else while a start is waited for, rejects. */
  #until({ what, reached, command }: Goal, options: WaitOptions): Promise<Process> {
    return this.#wait(what, options, ({ subscription, resolve, reject, fail }) => {
      const look = (process: Process) => {
        if (reached(process)) resolve(process);
        else if (process.state === "error") fail(`'${this.name}' failed: ${exitText(process) || "see the manager's log"}`);
        else if (command !== undefined && command !== "stop_process" && isStopped(process)) fail(`'${this.name}' was stopped meanwhile`);
      };
      const begin = async () => {
        // Accepted in one turn: what it is from here on is after the command.
        if (command) await this.#client.request({ type: command, name: this.name });
        subscription.add(
          this.#client.frames$.subscribe((frame) => {
            if (frame.type === "process_upsert" && frame.process.name === this.name) look(frame.process);
          }),
        );
        look(await this.get());
      };
      begin().catch(reject);
    });
  }

  /** A promise with a time-out, which ends with the connection as well; whatever `begin` subscribes to ends with it. */
  #wait<T>(what: string, { timeout = DEFAULT_TIMEOUT_MS }: WaitOptions, begin: (wait: Wait<T>) => void): Promise<T> {
    return new Promise((resolve, reject) => {
      const subscription = new Subscription();
      const settle = (conclude: () => void) => {
        if (subscription.closed) return;
        clearTimeout(timer);
        subscription.unsubscribe();
        conclude();
      };
      const fail = (code: "timeout" | "conflict", message: string) => settle(() => this.#failed(code, message).then(reject));
      const timer = setTimeout(() => fail("timeout", `'${this.name}' did not reach ${what} within ${timeout} ms`), timeout);
      const ended = () => settle(() => reject(new MgrError("host_unavailable", `the connection ended while waiting for ${what}`)));
      subscription.add(this.#client.frames$.subscribe({ complete: ended }));
      begin({
        subscription,
        resolve: (value) => settle(() => resolve(value)),
        reject: (error) => settle(() => reject(error)),
        fail: (message) => fail("conflict", message),
      });
    });
  }

  async #backlog(lines: number): Promise<Extract<ManagerFrame, { type: "process_output_snapshot" }>> {
    const frame = await this.#client.request({ type: "get_process_output", name: this.name, lines });
    if (frame.type === "process_output_snapshot") return frame;
    throw new MgrError("internal", `'get_process_output' was answered by '${frame.type}'`);
  }

  async #failed(code: "timeout" | "conflict", message: string): Promise<MgrError> {
    const output = await this.output(QUOTED_LINES).catch(() => "");
    return new MgrError(code, output === "" ? message : `${message}\nIts last output:\n${output}`);
  }
}

interface Wait<T> {
  /** Ends with the wait. */
  readonly subscription: Subscription;
  readonly resolve: (value: T) => void;
  readonly reject: (error: Error) => void;
  /** Rejects with the sentence and the last output. */
  readonly fail: (message: string) => void;
}

function isUp(process: Process): boolean {
  return process.state === "ready" || (process.state === "started" && !process.has_ready_state);
}

function isStopped(process: Process): boolean {
  return process.state === "stopped" && process.requested_state === "stop";
}

function isSameRun(a: Process, b: Process): boolean {
  return a.start_time === b.start_time && (a.pid === b.pid || a.pid === null || b.pid === null);
}

/** A run that was not there before has come to a good end. */
function endedSince(before: Process, now: Process): boolean {
  return now.state === "stopped" && now.requested_state === "start" && now.start_time !== null && !isSameRun(before, now);
}
