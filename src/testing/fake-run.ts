import { isDeepStrictEqual } from "node:util";
import { MgrError, messageOf } from "../base/errors.ts";
import type { Clock } from "../base/timing/clock.ts";
import type { HostEvent } from "../contract/messages.ts";
import { type ReportedStopCause, type RunExit, type RunReport, type RunSpec, type StopStep, specHash } from "../contract/run.ts";
import type { OutputRing } from "../daemon/output/output-ring.ts";
import { Readiness } from "../daemon/run/readiness.ts";
import type { Signal } from "../protocol/resources/resources.ts";
import type { FakeProcess, FakeScript } from "./fake-program.ts";

interface FakeRunOptions {
  runId: string;
  spec: RunSpec;
  memo: string;
  pid: number;
  /** Number of this run among those of its name, from 1. */
  count: number;
  clock: Clock;
  ring: OutputRing;
  script: FakeScript | null;
  onChange: (kind: HostEvent["kind"], run: FakeRun) => void;
  onOutput: (name: string) => void;
}

/** The fields of the report that change while it runs. */
type Changing = Pick<
  RunReport,
  "ready" | "unhealthy" | "stop_time" | "final_offset" | "extinct" | "rows" | "cols" | "memo" | "stop_cause" | "checks"
>;

/** Signals that do not end a process by default; stopping is not simulated. */
const HARMLESS: ReadonlySet<string> = new Set(["SIGCHLD", "SIGCONT", "SIGURG", "SIGWINCH", "SIGSTOP", "SIGTSTP", "SIGTTIN", "SIGTTOU"]);
/** The signals that a terminal sends for Ctrl-C and Ctrl-\. */
const KEYS: Readonly<Record<string, Signal>> = { "\x03": "SIGINT", "\x1c": "SIGQUIT" };

/** A simulated run, with the report of a real one. */
export class FakeRun implements FakeProcess {
  readonly id: string;
  readonly spec: RunSpec;
  readonly pid: number;
  readonly run: number;
  readonly received: string[] = [];
  readonly #options: FakeRunOptions;
  readonly #readiness: Readiness;
  readonly #handlers = new Map<Signal, () => void>();
  readonly #end = new AbortController();
  readonly #begin: { wall: number; monotonic: number; offset: number };
  readonly #typed: string[] = [];
  readonly #readers: ((text: string) => void)[] = [];
  #changing: Changing;
  #exit: RunExit | null = null;
  #steps: readonly StopStep[] | null = null;

  constructor(options: FakeRunOptions) {
    const { spec, clock, ring, script } = options;
    this.#options = options;
    this.id = options.runId;
    this.spec = spec;
    this.pid = options.pid;
    this.run = options.count;
    this.#begin = { wall: clock.now(), monotonic: clock.monotonic(), offset: ring.end };
    const { rows, cols } = spec.terminal;
    this.#changing = { ready: false, unhealthy: null, stop_time: null, final_offset: null, extinct: false, rows, cols, memo: options.memo };
    const isAsked = spec.ready?.kind === "regex" || spec.ready?.kind === "time";
    this.#readiness = new Readiness({ condition: isAsked ? spec.ready : null, clock, onReady: () => this.ready() });
    queueMicrotask(() => (script === null ? this.#runUnscripted() : void this.#play(script)));
  }

  get name(): string {
    return this.spec.name;
  }

  get command(): string {
    return this.spec.command;
  }

  get environment(): Readonly<Record<string, string>> {
    return this.spec.environment;
  }

  get ended(): AbortSignal {
    return this.#end.signal;
  }

  get isExtinct(): boolean {
    return this.#changing.extinct;
  }

  get report(): RunReport {
    const { clock } = this.#options;
    return {
      name: this.name,
      run_id: this.id,
      spec_hash: specHash(this.spec),
      command: this.spec.command,
      pid: this.pid,
      start_time: this.#begin.wall,
      age_ms: clock.monotonic() - this.#begin.monotonic,
      stopping: this.#steps !== null,
      exit: this.#exit,
      first_offset: this.#begin.offset,
      changed_file: null,
      ...this.#changing,
    };
  }

  // Actions of a script.

  print(text: string): void {
    this.#requireAlive("print");
    const bytes = Buffer.from(text.replace(/\r?\n/g, "\r\n"));
    this.#options.ring.append(bytes);
    this.#options.onOutput(this.name);
    this.#readiness.append(bytes);
  }

  ready(): void {
    if (this.#exit === null && this.spec.ready !== null && !this.#changing.ready) this.#change("ready", { ready: true });
  }

  unhealthy(reason: string): void {
    if (this.#exit === null && this.#changing.unhealthy === null) this.#change("unhealthy", { unhealthy: reason });
  }

  checked(condition: string, problem: string | null = null): void {
    const { clock } = this.#options;
    if (this.#exit === null) this.#change("checks", { checks: [{ condition, about: "", problem, since: clock.now() }] });
  }

  sleep(milliseconds: number): Promise<void> {
    const { clock } = this.#options;
    return new Promise((resolve, reject) => {
      if (this.ended.aborted) return reject(this.ended.reason);
      const timer = clock.setTimeout(() => {
        this.ended.removeEventListener("abort", end);
        resolve();
      }, milliseconds);
      const end = () => {
        clock.clearTimeout(timer);
        reject(this.ended.reason);
      };
      this.ended.addEventListener("abort", end, { once: true });
    });
  }

  input(): Promise<string> {
    const text = this.#typed.shift();
    if (text !== undefined) return Promise.resolve(text);
    return new Promise((resolve, reject) => {
      this.#readers.push(resolve);
      this.ended.addEventListener("abort", () => reject(this.ended.reason), { once: true });
    });
  }

  on(signal: Signal, handler: () => void): void {
    this.#handlers.set(signal, handler);
  }

  ignore(...signals: Signal[]): void {
    for (const signal of signals) this.on(signal, () => {});
  }

  exit(code = 0): void {
    this.#endRun({ code, signal: null, reason: null });
  }

  crash(signal: Signal = "SIGSEGV"): void {
    this.#endRun({ code: null, signal, reason: null });
  }

  // Actions of a host.

  signal(signal: string): void {
    this.#requireAlive(signal);
    this.received.push(signal);
    const handler = this.#handlers.get(signal as Signal);
    if (signal === "SIGKILL") this.crash("SIGKILL");
    else if (handler) handler();
    else if (!HARMLESS.has(signal)) this.crash(signal as Signal);
  }

  type(text: string): void {
    this.#requireAlive("type");
    this.received.push(JSON.stringify(text));
    const reader = this.#readers.shift();
    if (reader) reader(text);
    else this.#typed.push(text);
    for (const key of text) if (KEYS[key] && this.#exit === null) this.signal(KEYS[key]);
  }

  resize(rows: number, cols: number): void {
    this.#requireAlive("resize");
    this.#change("changed", { rows, cols });
  }

  set memo(memo: string) {
    this.#change("changed", { memo });
  }

  stop(steps: readonly StopStep[], cause?: ReportedStopCause): void {
    if (this.#exit !== null || isDeepStrictEqual(steps, this.#steps)) return;
    const isFirst = this.#steps === null;
    this.#steps = steps;
    if (isFirst) this.#change("stopping", cause === undefined ? {} : { stop_cause: cause });
    void this.#carryOut(steps);
  }

  kill(): void {
    if (this.#exit === null) this.crash("SIGKILL");
  }

  async #carryOut(steps: readonly StopStep[]): Promise<void> {
    for (const step of steps) {
      if (this.#exit !== null || this.#steps !== steps) return;
      if ("signal" in step) this.signal(step.signal);
      else if ("send" in step) this.type(step.send);
      // No program is run; the request is recorded.
      else this.received.push(step.program.kind === "shell" ? step.program.line : step.program.argv.join(" "));
      // An error of the stop step does not fail the stop.
      await this.sleep(step.timeout_ms).catch(() => undefined);
    }
    if (this.#steps === steps) this.kill();
  }

  #runUnscripted(): void {
    if (this.spec.ready?.kind !== "time") this.ready();
  }

  async #play(script: FakeScript): Promise<void> {
    try {
      const code = await script(this);
      if (typeof code === "number" && this.#exit === null) this.exit(code);
    } catch (error) {
      // The process was ended while the script slept or read, which ends the script.
      if (this.#exit !== null) return;
      this.print(`the script of '${this.name}' failed: ${messageOf(error)}\n`);
      this.exit(1);
    }
  }

  #endRun(exit: RunExit): void {
    if (this.#exit !== null) return;
    const { clock, ring } = this.#options;
    this.#readiness.end();
    this.#exit = exit;
    this.#end.abort(new MgrError("not_running", `'${this.name}' has ended`));
    this.#change("exited", { stop_time: clock.now(), final_offset: ring.end });
    this.#change("extinct", { extinct: true });
  }

  #change(kind: HostEvent["kind"], change: Partial<Changing>): void {
    this.#changing = { ...this.#changing, ...change };
    this.#options.onChange(kind, this);
  }

  #requireAlive(what: string): void {
    if (this.#exit !== null) throw new MgrError("not_running", `'${this.name}' has ended: it cannot ${what} any more`);
  }
}
