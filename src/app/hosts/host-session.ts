import type { Duplex } from "node:stream";
import type { Greeting as HostGreeting } from "../../actors/host-machine.ts";
import { type AnyErrorCode, MgrError } from "../../base/errors.ts";
import type { Clock } from "../../base/timing/clock.ts";
import type { HostLink } from "../../contract/host-link.ts";
import {
  type BusSettings,
  CONTRACT_VERSION,
  type HostEvent,
  type HostHeartbeat,
  type HostLog,
  type OutputChunk,
  type RequestOf,
} from "../../contract/messages.ts";
import { pagesOf } from "../../contract/pages.ts";
import type { RunReport } from "../../contract/run.ts";
import type { Stop } from "../../contract/stops.ts";
import { eachHeartbeat } from "./common-beat.ts";
import { type Carried, Forwards } from "./forwards.ts";
import { PendingAnswers } from "./pending-answers.ts";
import { StopRequests } from "./stop-requests.ts";

/** Events that the session reports to the rest of the manager, all in the order in which they occurred at the host. */
export interface HostSessionListener {
  onHeartbeat(heartbeat: HostHeartbeat): void;
  onOutput(chunk: OutputChunk): void;
  onLog(entry: HostLog): void;
  /**
   * The whole run table, after a hello or when events were missed. A name that is not in it was never run by this
   * daemon, unless it is in `changing`: its run began while the table was read, and its events follow.
   */
  onReport(runs: ReadonlyMap<string, RunReport>, changing: ReadonlySet<string>): void;
  onEvent(event: HostEvent): void;
  /** A run is being stopped, as requested; the host sends no event about that. */
  onStopping(stop: Stop): void;
  /** The host no longer accepts the session: a new hello is needed. */
  onStale(): void;
}

export interface Greeting extends HostGreeting {
  contract: number;
}

interface SessionOptions {
  link: HostLink;
  epoch: number;
  clock: Clock;
  /** How long the host waits for a lost manager before it stops everything, milliseconds; null: no limit. */
  stopAfterMs?: () => number | null;
  /** Settings for the host's broker. */
  bus?: () => BusSettings;
  listener: HostSessionListener;
}

/**
 * One manager's session with one host: hello, heartbeats, and the run table kept up to date by sequence numbers
 * (docs/design/runtime-invariants.md, "Host events": subscribed before asking, events up to the report's seq ignored,
 * after a gap or a mismatch with the heartbeat the whole table is requested again).
 */
export class HostSession {
  readonly link: HostLink;
  /** Stops of runs. */
  readonly stops: StopRequests;
  readonly #options: SessionOptions;
  readonly #forwards: Forwards;
  readonly #answers: PendingAnswers;
  readonly #unsubscribe: () => void;
  #session: string | null = null;
  #streamId: string | null = null;
  /** Seq of the last event or report applied; null while a report is in progress. */
  #seq: number | null = null;
  /** The current request for the table: answers to an earlier one are ignored. */
  #question: symbol | null = null;
  /** Events received since the table was requested; null while no request is pending: they are not needed then. */
  #early: HostEvent[] | null = null;
  /** A table that was requested and is not delivered yet. */
  #table: { seq: number; runs: Map<string, RunReport> } | null = null;
  /** Ends the heartbeats of the session. */
  #endBeats: (() => void) | null = null;
  #isClosed = false;

  constructor(options: SessionOptions) {
    this.link = options.link;
    this.#options = options;
    const { listener } = options;
    this.#answers = new PendingAnswers(options.clock);
    this.#forwards = new Forwards(options.link);
    this.stops = new StopRequests({
      link: options.link,
      command: (send) => this.command(send),
      onStopping: (stop) => listener.onStopping(stop),
    });
    this.#unsubscribe = options.link.listen({
      onHeartbeat: (heartbeat) => {
        if (!this.link.isDirect) this.#answers.giveUpLate();
        listener.onHeartbeat(heartbeat);
        this.#compare(heartbeat);
      },
      onOutput: (chunk) => listener.onOutput(chunk),
      onLog: (entry) => listener.onLog(entry),
      onStream: (frame) => this.#forwards.receive(frame),
      onEvent: (event) => this.#receive(event),
    });
  }

  /** The session ID for commands; throws `host_unavailable` while there is none. */
  get session(): string {
    if (this.#session === null) {
      throw new MgrError(
        "host_unavailable",
        `the daemon of host '${this.link.host}' is not there; the command was not sent. Try again when it is connected (\`mgr hosts\`)`,
      );
    }
    return this.#session;
  }

  get isOpen(): boolean {
    return this.#session !== null;
  }

  /** Resolves once commands can be sent; rejects when `signal` fires. */
  whenOpen(signal: AbortSignal): Promise<void> {
    return this.isOpen ? Promise.resolve() : this.#answers.opening(signal);
  }

  /** Identifies the daemon of the session; null while there is none. */
  get streamId(): string | null {
    return this.#streamId;
  }

  /**
   * Says hello and requests the run table; commands are possible from the hello on. The table and the events that arrive
   * meanwhile are held back until `deliver`. Rejects on a later greeting, `drop` or `close`.
   */
  async greet(): Promise<Greeting> {
    this.drop();
    const question = this.#ask();
    try {
      const { clock } = this.#options;
      const asked = clock.now();
      const hello = await this.#answers.soon(this.link.request("hello", this.#hello()));
      this.#checkAsked(question);
      // The answer was made between the request and now.
      const clock_offset_ms = Math.round(hello.time - (asked + clock.now()) / 2);
      this.#session = hello.session;
      this.#streamId = hello.stream_id;
      this.#keepAlive(hello.session);
      this.#answers.opened();
      // Earlier events are from before the hello, perhaps from another daemon.
      this.#early = [];
      await this.#fetch(question);
      const { session, stream_id, contract, pid, version = null, output_from = null, previous_end = null, alone = null } = hello;
      return { session, stream_id, contract, pid, version, output_from, previous_end, alone, clock_offset_ms };
    } catch (error) {
      if (this.#question === question) this.drop();
      throw error;
    }
  }

  /** Lets a daemon of another version refuse the session, so that its own log has the reason. */
  introduce(): void {
    this.link.request("hello", this.#hello()).catch(() => undefined);
  }

  #hello(): RequestOf<"hello"> {
    const { epoch, stopAfterMs, bus } = this.#options;
    const hello = {
      epoch,
      manager_pid: process.pid,
      contracts: contractsSpoken(),
      stop_after_ms: stopAfterMs?.() ?? null,
    };
    return bus === undefined ? hello : { ...hello, bus: bus() };
  }

  /** Applies the requested table, then the events since. */
  deliver(): void {
    const table = this.#table;
    if (table === null) return;
    const early = this.#early ?? [];
    this.#forgetQuestion();
    this.#seq = table.seq;
    this.#options.listener.onReport(table.runs, new Set(early.map((event) => event.run.name)));
    for (const event of early) this.#receive(event);
  }

  /** Ends the session: no more commands or heartbeats. */
  drop(): void {
    this.#session = null;
    this.#streamId = null;
    this.#seq = null;
    this.#answers.fail(
      new MgrError("host_unavailable", `host '${this.link.host}' was lost before it answered; the request may have been carried out`),
    );
    this.#forwards.closeAll();
    this.#forgetQuestion();
    this.#endBeats?.();
    this.#endBeats = null;
  }

  close(): void {
    this.#isClosed = true;
    this.drop();
    this.#unsubscribe();
  }

  /** Runs a command; the listener is notified of a stale session before the promise rejects. */
  async command<T>(send: (session: string) => Promise<T>): Promise<T> {
    const session = this.session;
    try {
      return await this.#answers.whileOpen(send(session));
    } catch (error) {
      if (error instanceof MgrError && error.code === ("stale_session" satisfies AnyErrorCode) && this.#session === session) {
        this.drop();
        this.#options.listener.onStale();
      }
      throw error;
    }
  }

  /** Opens a TCP connection from the host to `target` as a stream (app/hosts/forwards.ts); it ends with the session. */
  connect(target: { host: string; port: number }): Promise<Duplex> {
    return this.command((session) => this.#forwards.open(session, target));
  }

  /** Opens another stream that `ask` requests from the host; `target` names it in statistics. */
  carry<Answer>(target: string, ask: (session: string, stream: string) => Promise<Answer>): Promise<Carried<Answer>> {
    return this.command((session) => this.#forwards.carry(target, (stream) => ask(session, stream)));
  }

  /** Bytes of these streams so far, by target. */
  get forwards() {
    return this.#forwards.counts.totals();
  }

  #receive(event: HostEvent): void {
    if (this.#seq === null) {
      this.#early?.push(event);
      return;
    }
    if (event.seq <= this.#seq) return;
    if (event.seq > this.#seq + 1) {
      this.#resync();
      return;
    }
    this.#seq = event.seq;
    this.#options.listener.onEvent(event);
  }

  /** Heartbeats and events share one ordered connection: a higher seq in a heartbeat means that events were lost. */
  #compare(heartbeat: HostHeartbeat): void {
    if (this.#session === null || this.#seq === null) return;
    if (heartbeat.session !== this.#session) {
      this.drop();
      this.#options.listener.onStale();
    } else if (heartbeat.seq > this.#seq) this.#resync();
  }

  #ask(): symbol {
    if (this.#isClosed) throw overtaken(this.link.host);
    const question = Symbol("question");
    this.#question = question;
    this.#seq = null;
    this.#table = null;
    this.#early = [];
    return question;
  }

  #checkAsked(question: symbol): void {
    if (this.#question !== question) throw overtaken(this.link.host);
  }

  #forgetQuestion(): void {
    this.#question = null;
    this.#early = null;
    this.#table = null;
  }

  async #fetch(question: symbol): Promise<void> {
    const runs = new Map<string, RunReport>();
    let seq: number | null = null;
    for await (const page of pagesOf((after) => this.#answers.soon(this.link.request("report", { session: this.session, after })))) {
      this.#checkAsked(question);
      for (const run of page.runs) runs.set(run.name, run);
      // Pages are from different moments: events after the first page's seq are applied again, which changes nothing.
      seq ??= page.seq;
    }
    this.#table = { seq: seq ?? 0, runs };
  }

  #resync(): void {
    const question = this.#ask();
    this.#fetch(question).then(
      () => this.deliver(),
      () => {
        if (this.#question !== question) return;
        // The host is unreachable again: its return brings a hello, and with it the next report.
        this.drop();
        this.#options.listener.onStale();
      },
    );
  }

  #keepAlive(session: string): void {
    this.link.heartbeat(session);
    this.#endBeats?.();
    this.#endBeats = eachHeartbeat(this.#options.clock, () => this.link.heartbeat(session));
  }
}

function overtaken(host: string): MgrError {
  return new MgrError(
    "host_unavailable",
    `the request to host '${host}' is no longer valid: a new session with it has begun, or it was cancelled`,
  );
}

/** Contract versions that this manager speaks: N and N-1 (docs/design/runtime-invariants.md, "Upgrade"). */
function contractsSpoken(): number[] {
  return CONTRACT_VERSION > 1 ? [CONTRACT_VERSION, CONTRACT_VERSION - 1] : [CONTRACT_VERSION];
}
