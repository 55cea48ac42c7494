import { map, type Observable } from "rxjs";
import { MgrError } from "../../base/errors.ts";
import { shown } from "../../base/options.ts";
import { textPieces } from "../../base/text-pieces.ts";
import type { ManagerFrame } from "../../protocol/frames/frames.ts";
import type { Process, ProcessState, Signal } from "../../protocol/resources/resources.ts";
import type { ManagerConnection } from "../manager-connection.ts";
import { OutputJoin } from "../output-join.ts";
import { onEachOpening, type Wait, type WaitOptions, waitFor } from "../wait.ts";
import { exitText } from "./exit-text.ts";
import { checkState, endedSince, isIn, isSameRun, isStopped, isUp } from "./process-goals.ts";

/** Lines of backlog where nobody says how many. */
const BACKLOG_LINES = 1_000;
/** Lines that are looked at again where some were skipped: more than a backlog of usual size has. */
const SKIPPED_LINES = 100_000;
/** Lines of output that a rejection quotes. */
const QUOTED_LINES = 20;
/** Text that waitForOutput looks at across frames, characters. */
const MATCHED_CHARACTERS = 65_536;

type ProcessCommand = "start_process" | "stop_process" | "restart_process";

interface Goal {
  /** What is waited for, for the sentence of a time-out. */
  readonly what: string;
  readonly reached: (process: Process, before: Process) => boolean;
  /** Sent before waiting. */
  readonly command?: ProcessCommand;
}

/** One process of a manager, over any link. Waits reject with MgrError: the reason and the last output, or `timeout`. */
export class ProcessHandle {
  readonly name: string;
  readonly #client: ManagerConnection;

  constructor(client: ManagerConnection, name: string) {
    this.#client = client;
    this.name = name;
  }

  /** The process as it is now. Rejects with `not_found`. */
  async get(): Promise<Process> {
    await this.#client.mirror.current();
    return this.#newest();
  }

  /**
   * Starts it; resolves when it is ready, or started if it has no ready state, or has already ended well. Who is in backoff tries again, and is
   * waited for until that ends: up, in error (a crash loop), or with the time-out.
   */
  start(options: WaitOptions = {}): Promise<Process> {
    const reached: Goal["reached"] = (process, before) => isUp(process) || endedSince(before, process);
    return this.#until({ what: "the end of its start", reached, command: "start_process" }, options);
  }

  /** Resolves when nothing of it is left. */
  stop(options: WaitOptions = {}): Promise<Process> {
    const reached: Goal["reached"] = (process) => process.state === "stopped";
    return this.#until({ what: "the end of its stop", reached, command: "stop_process" }, options);
  }

  /** Resolves when a new run is ready, or started, or has already ended well. */
  restart(options: WaitOptions = {}): Promise<Process> {
    const reached: Goal["reached"] = (process, before) => (isUp(process) && !isSameRun(before, process)) || endedSince(before, process);
    return this.#until({ what: "the end of its restart", reached, command: "restart_process" }, options);
  }

  /** Sends a signal such as `SIGHUP` to its leader. Rejects with `not_running`. */
  async signal(signal: Signal): Promise<void> {
    await this.#client.request({ type: "send_signal", name: this.name, signal });
  }

  /** Types into its terminal; resolves when the host has queued all of it. Rejects with `busy` when it does not read. */
  async write(text: string): Promise<void> {
    for (const piece of textPieces(text)) await this.#client.request({ type: "send_stdin", name: this.name, text: piece });
  }

  /** Sets the size of its terminal, of this run and later ones. */
  async resize(rows: number, cols: number): Promise<void> {
    await this.#client.request({ type: "send_winch", name: this.name, rows, cols });
  }

  /** The last `lines` lines of its terminal, CR and escape sequences included. */
  async output(lines = BACKLOG_LINES): Promise<string> {
    return (await this.#backlog(lines)).output;
  }

  /** Live output from the moment of subscription, as text in order. What was missed while a link was lost is not in it. */
  get output$(): Observable<string> {
    return this.#client.output$(this.name).pipe(map((frame) => frame.output));
  }

  /**
   * Resolves when it has got as far as `state`: `started` is also reached by who is ready, `ready` also by a started
   * process without a ready condition. Rejects when it fails instead.
   */
  async waitFor(state: ProcessState, options: WaitOptions = {}): Promise<Process> {
    checkState(state);
    return this.#until({ what: `'${state}'`, reached: (process) => isIn(process, state) }, options);
  }

  /**
   * Resolves with the match when its output, the backlog of 1,000 lines included, matches within 64 Ki characters. What was
   * skipped because this connection could not keep up is fetched, as far as it is still kept. The expression runs in this
   * program: one that backtracks without end holds it up.
   */
  async waitForOutput(pattern: RegExp, options: WaitOptions = {}): Promise<RegExpMatchArray> {
    const expression = withoutPosition(pattern);
    return this.#wait(`output that matches ${pattern}`, options, ({ subscription, resolve }) => {
      let text = "";
      const look = (more: string) => {
        text += more;
        const match = text.match(expression);
        text = text.slice(-MATCHED_CHARACTERS);
        if (match) resolve(match);
      };
      let join = new OutputJoin();
      const begin = async (lines: number) => {
        const mine = new OutputJoin();
        join = mine;
        text = "";
        const backlog = await this.#backlog(lines);
        // Begun anew meanwhile: the newer one has it all.
        if (join === mine) look(mine.backlog(backlog));
      };
      const live = this.#client.output$(this.name).subscribe((frame) => {
        // A failure is a lost connection: it begins anew when that is back.
        if (frame.skipped !== undefined) begin(SKIPPED_LINES).catch(() => undefined);
        look(join.live(frame));
      });
      subscription.add(live);
      return onEachOpening(this.#client, subscription, () => begin(BACKLOG_LINES));
    });
  }

  /** Waits for a goal; `error`, or a stop by somebody else while a start is waited for, rejects. */
  #until({ what, reached, command }: Goal, options: WaitOptions): Promise<Process> {
    const { mirror } = this.#client;
    return this.#wait(what, options, async ({ subscription, resolve, fail, reject }) => {
      const look = (before: Process) => {
        const process = mirror.process(this.name);
        if (process === undefined) reject(this.#missing());
        else if (reached(process, before)) resolve(process);
        else if (process.state === "error") fail(`'${this.name}' failed: ${exitText(process) || "see the manager's log"}`);
        else if (command !== undefined && command !== "stop_process" && isStopped(process)) fail(`'${this.name}' was stopped meanwhile`);
      };
      const follow = (before: Process) =>
        subscription.add(mirror.changes$.subscribe((name) => (name === null || name === this.name) && look(before)));
      if (command) {
        await mirror.known();
        const before = this.#newest();
        // Accepted in one turn: what is known from the answer on is what is so after the command.
        await this.#client.request({ type: command, name: this.name });
        follow(before);
        look(before);
      } else {
        await onEachOpening(this.#client, subscription, () => mirror.current());
        const before = this.#newest();
        follow(before);
        look(before);
      }
    });
  }

  #wait<T>(what: string, options: WaitOptions, begin: (wait: Wait<T>) => void | Promise<void>): Promise<T> {
    const context = async () => {
      const output = await this.output(QUOTED_LINES);
      return output === "" ? "" : `Its last output:\n${output}`;
    };
    return waitFor({ client: this.#client, subject: `'${this.name}'`, what, options, context, begin });
  }

  async #backlog(lines: number): Promise<Extract<ManagerFrame, { type: "process_output_snapshot" }>> {
    return this.#client.request({ type: "get_process_output", name: this.name, lines });
  }

  #newest(): Process {
    const process = this.#client.mirror.process(this.name);
    if (process === undefined) throw this.#missing();
    return process;
  }

  #missing(): MgrError {
    return new MgrError("not_found", `there is no process '${this.name}'`);
  }
}

/** The same expression; with `g` and `y` a match would depend on the one before. Throws `bad_field` for anything else. */
function withoutPosition(pattern: RegExp): RegExp {
  // Test runners have several realms: `instanceof` knows only the expressions of one.
  if (Object.prototype.toString.call(pattern) !== "[object RegExp]")
    throw new MgrError("bad_field", `waitForOutput takes a regular expression such as /ready/, found ${shown(pattern)}`);
  return new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ""));
}
