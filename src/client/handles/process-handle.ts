import { map, type Observable } from "rxjs";
import { MgrError } from "../../base/errors.ts";
import { shown } from "../../base/options.ts";
import { GuardedPattern } from "../../base/patterns/guarded-pattern.ts";
import { textPieces } from "../../base/text/text-pieces.ts";
import type { ManagerFrame } from "../../protocol/frames/frames.ts";
import type { Process, ProcessState, Signal } from "../../protocol/resources/resources.ts";
import type { ManagerConnection } from "../manager-connection.ts";
import { OutputJoin } from "../output-join.ts";
import { onEachOpening, type Wait, type WaitOptions, waitFor } from "../wait.ts";
import { exitText } from "./exit-text.ts";
import { checkState, endedSince, isIn, isSameRun, isStopped, isUp } from "./process-goals.ts";

/** Default number of backlog lines. */
const BACKLOG_LINES = 1_000;
/** Number of lines that are searched again after output was skipped: more than a usual backlog holds. */
const SKIPPED_LINES = 100_000;
/** Number of output lines that a rejection quotes. */
const MAX_QUOTED_LINES = 20;
/** Maximum length of text that waitForOutput matches across frames, characters. */
const MATCHED_CHARACTERS = 65_536;

/** Maximum length of text that waits for a search, because searches take long, characters. */
const MAX_UNSEARCHED_CHARACTERS = 8_000_000;

type ProcessCommand = "start_process" | "stop_process" | "restart_process";

interface Goal {
  /** Description of the goal for the error message of a time-out. */
  readonly what: string;
  readonly reached: (process: Process, before: Process) => boolean;
  /** Command sent before waiting. */
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
   * Starts it; resolves when it is ready, or started if it has no ready state, or has already ended successfully. A process in backoff is
   * retried, and waited for until the outcome is known: up, in error (a crash loop), or the time-out.
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

  /** Resolves when a new run is ready, or started, or has already ended successfully. */
  restart(options: WaitOptions = {}): Promise<Process> {
    const reached: Goal["reached"] = (process, before) => (isUp(process) && !isSameRun(before, process)) || endedSince(before, process);
    return this.#until({ what: "the end of its restart", reached, command: "restart_process" }, options);
  }

  /** Sends a signal such as `SIGHUP` to its leader. Rejects with `not_running`. */
  async signal(signal: Signal): Promise<void> {
    await this.#client.request({ type: "send_signal", name: this.name, signal });
  }

  /** Types into its terminal; resolves when the host has queued all of it. Rejects with `busy` when the process does not read. */
  async write(text: string): Promise<void> {
    for (const piece of textPieces(text)) await this.#client.request({ type: "send_stdin", name: this.name, text: piece });
  }

  /** Sets the size of its terminal, for this run and later ones. */
  async resize(rows: number, cols: number): Promise<void> {
    await this.#client.request({ type: "send_winch", name: this.name, rows, cols });
  }

  /** The last `lines` lines of its terminal, CR and escape sequences included. */
  async output(lines = BACKLOG_LINES): Promise<string> {
    return (await this.#backlog(lines)).output;
  }

  /** Live output from the moment of subscription, as text in order. Output that was missed while a link was lost is not included. */
  get output$(): Observable<string> {
    return this.#client.output$(this.name).pipe(map((frame) => frame.output));
  }

  /**
   * Resolves when it has reached `state`: a ready process also counts as `started`, a started process without a ready condition also as
   * `ready`. Rejects when it fails instead.
   */
  async waitFor(state: ProcessState, options: WaitOptions = {}): Promise<Process> {
    checkState(state);
    return this.#until({ what: `'${state}'`, reached: (process) => isIn(process, state) }, options);
  }

  /**
   * Resolves with the match when its output, including the backlog of 1,000 lines, matches within 64 Ki characters. Output that was skipped
   * because this connection could not keep up is fetched if it is still retained. An expression that backtracks without end does not block the
   * program (docs/decisions/0063-bounded-expressions.md).
   */
  async waitForOutput(pattern: RegExp, options: WaitOptions = {}): Promise<RegExpMatchArray> {
    const expression = new GuardedPattern(withoutPosition(pattern));
    return this.#wait(`output that matches ${pattern}`, options, ({ subscription, resolve }) => {
      let text = "";
      let pause: ReturnType<typeof setTimeout> | undefined;
      subscription.add(() => clearTimeout(pause));
      const search = () => {
        pause = undefined;
        const { match, pauseMs } = expression.search([text]);
        if (match) resolve(match);
        // Output that could not be searched in time is searched again.
        text = text.slice(match === undefined ? -MAX_UNSEARCHED_CHARACTERS : -MATCHED_CHARACTERS);
        if (!match && pauseMs > 0) pause = setTimeout(search, pauseMs);
      };
      const check = (more: string) => {
        text += more;
        if (pause === undefined) search();
        else text = text.slice(-MAX_UNSEARCHED_CHARACTERS);
      };
      let join = new OutputJoin();
      const begin = async (lines: number) => {
        const mine = new OutputJoin();
        join = mine;
        text = "";
        const backlog = await this.#backlog(lines);
        // A newer search may have begun meanwhile; it covers the whole output.
        if (join === mine) check(mine.backlog(backlog));
      };
      const live = this.#client.output$(this.name).subscribe((frame) => {
        // It fails only if the connection is lost: the search restarts when the link is back.
        if (frame.skipped !== undefined) begin(SKIPPED_LINES).catch(() => undefined);
        check(join.live(frame));
      });
      subscription.add(live);
      return onEachOpening(this.#client, subscription, () => begin(BACKLOG_LINES));
    });
  }

  /** Waits for a goal; rejects on `error`, or if another user stops it while a start is waited for. */
  #until({ what, reached, command }: Goal, options: WaitOptions): Promise<Process> {
    const { mirror } = this.#client;
    return this.#wait(what, options, async ({ subscription, resolve, fail, reject }) => {
      const check = (before: Process) => {
        const process = mirror.process(this.name);
        if (process === undefined) reject(this.#missing());
        else if (reached(process, before)) resolve(process);
        else if (process.state === "error") fail(`'${this.name}' failed: ${exitText(process) || "see the manager's log"}`);
        else if (command !== undefined && command !== "stop_process" && isStopped(process)) fail(`'${this.name}' was stopped meanwhile`);
      };
      const follow = (before: Process) =>
        subscription.add(mirror.changes$.subscribe((name) => (name === null || name === this.name) && check(before)));
      if (command) {
        await mirror.known();
        const before = this.#newest();
        // The command is accepted in one turn, so after the answer the mirror has the state after the command.
        await this.#client.request({ type: command, name: this.name });
        follow(before);
        check(before);
      } else {
        await onEachOpening(this.#client, subscription, () => mirror.current());
        const before = this.#newest();
        follow(before);
        check(before);
      }
    });
  }

  #wait<T>(what: string, options: WaitOptions, begin: (wait: Wait<T>) => void | Promise<void>): Promise<T> {
    const context = async () => {
      const output = await this.output(MAX_QUOTED_LINES);
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

/**
 * The expression without the flags `g` and `y`, with which a match would depend on the previous one. Throws `bad_field` if it is not a
 * regular expression.
 */
function withoutPosition(pattern: RegExp): RegExp {
  // Not `instanceof`: test runners have several realms, each with its own RegExp.
  if (Object.prototype.toString.call(pattern) !== "[object RegExp]")
    throw new MgrError("bad_field", `waitForOutput takes a regular expression such as /ready/, found ${shown(pattern)}`);
  return new RegExp(pattern.source, pattern.flags.replace(/[gy]/g, ""));
}
