import { z } from "zod";
import { type Greeting, type HostEmitted, hostMachine, isRoutine } from "../../actors/host-machine.ts";
import type { ActorSystem } from "../../actors/system.ts";
import { messageOf } from "../../base/errors.ts";
import { CancellationSource } from "../../base/timing/cancellation.ts";
import type { Clock } from "../../base/timing/clock.ts";
import { resumedText } from "../../client/shown/host-remark.ts";
import type { HostLink } from "../../contract/host-link.ts";
import { type BusSettings, HEARTBEAT_LOST_MS, type HostEvent, type HostHeartbeat, MAX_KEPT_NAMES } from "../../contract/messages.ts";
import type { RunReport } from "../../contract/run.ts";
import type { LogBook } from "../../log/log-book.ts";
import { formatTime } from "../../protocol/time.ts";
import type { OutputHub } from "../../transport/output/output-hub.ts";
import { AcceptedStops } from "./accepted-stops.ts";
import { HostSession } from "./host-session.ts";
import type { HostedProcesses } from "./hosted-processes.ts";
import { readList } from "./list-reader.ts";
import { readPastRuns } from "./past-runs.ts";
import { stopRun } from "./run-commands.ts";
import { SilenceTimer } from "./silence-timer.ts";

interface HostControllerOptions {
  host: string;
  /** Whether the host is the manager's own machine. */
  isLocal: boolean;
  link: HostLink;
  epoch: number;
  clock: Clock;
  system: ActorSystem;
  hub: OutputHub;
  log: LogBook;
  /** How long the host waits for a lost manager before it stops everything, milliseconds; null: for ever. */
  stopAfterMs: () => number | null;
  /** Settings for the host's broker. */
  bus: () => BusSettings;
  /** Resolves when it is this host's turn to report to its processes: hundreds of hosts may come back at the same moment. */
  turn: () => Promise<void>;
  processTable: Pick<HostedProcesses, "namesAt" | "hostOf" | "isUnknown" | "foundAt" | "concerns" | "noteChecks">;
  /** Called with the ended runs that the host replaced without a manager, before the newest ones are reported. */
  onPastRuns: (runs: readonly RunReport[], streamId: string) => void;
  /** Called when the checks of a process's run may have changed. */
  onChecks: (name: string) => void;
  /** Called when the host's state may have changed. */
  onHostChanged: () => void;
}

/**
 * Maximum time that an exit waits for its output, milliseconds; then missing output is declared lost (docs/design/runtime-invariants.md, "Exit
 * after output").
 */
const OUTPUT_TIMEOUT_MS = 1_000;

/** Clock difference from which a warning is logged, milliseconds: people compare times in logs. */
const CLOCK_TOLERANCE_MS = 2_000;

/** Events that are passed to processes; the others only update the table. */
const EVENTS: { readonly [K in HostEvent["kind"]]?: "run.spawned" | "run.ready" | "run.exited" | "run.extinct" } = {
  spawned: "run.spawned",
  ready: "run.ready",
  exited: "run.exited",
  extinct: "run.extinct",
};

/** Stop steps of a run without a definition. */
const STRANGER_STEPS = [
  { signal: "SIGTERM", timeout_ms: 10_000 },
  { signal: "SIGKILL", timeout_ms: 10_000 },
];

/** An event of a process; `isDue` once the output before it has passed the hub. */
interface News {
  isDue: boolean;
  readonly deliver: () => void;
}

/** Connects one host's session, its actor and the actors of its processes, and keeps the order of events between them. */
export class HostController {
  readonly session: HostSession;
  readonly #options: HostControllerOptions;
  /** Events that wait for output, by process: later events of the same process queue behind them. */
  readonly #queues = new Map<string, News[]>();
  /** The newest report of each run, for an actor that is rebuilt. */
  #table: Map<string, RunReport> | null = null;
  readonly #stops = new AcceptedStops();
  /** Stream id of the daemon that reported these runs. */
  #streamId: string | null = null;
  /** Runs of unknown names that are being stopped, by run id. */
  readonly #unknownRuns = new Set<string>();
  /** Why the processes of the previous daemon ended; null if the daemon is not new. */
  #previousEnd: string | null = null;
  readonly #cancellation = new CancellationSource();
  readonly #silence: SilenceTimer;

  constructor(options: HostControllerOptions) {
    this.#options = options;
    const { host, system, hub, log, clock } = options;
    this.#silence = new SilenceTimer(clock, HEARTBEAT_LOST_MS, () => system.send("host", host, { type: "silent" }));
    this.session = new HostSession({
      link: options.link,
      epoch: options.epoch,
      clock: options.clock,
      stopAfterMs: options.stopAfterMs,
      bus: options.bus,
      listener: {
        onHeartbeat: (heartbeat) => this.#heard(heartbeat),
        onOutput: (chunk) => hub.receive(host, chunk),
        onLog: (entry) => log.append(entry),
        onReport: (runs, changing) => this.#report(runs, changing),
        onEvent: (event) => this.#event(event),
        onStopping: (stop) => this.#stops.accepted(stop, this.#table ?? new Map()),
        onStale: () => system.send("host", host, { type: "stale" }),
      },
    });
  }

  /** Starts to receive events of the host. */
  begin(): void {
    const { host, isLocal, system } = this.#options;
    system.spawn("host", host, ({ life }) => ({
      machine: hostMachine,
      input: { name: host, isLocal, greet: (signal: AbortSignal) => this.#greet(AbortSignal.any([signal, life.signal])) },
    }));
  }

  /** Handles the events of the host's actor. */
  onEmit(event: HostEmitted): void {
    const { host, log, onHostChanged } = this.#options;
    switch (event.type) {
      case "ready":
        this.#greeted(event.greeting);
        if (!this.#options.link.isDirect) this.#silence.begin();
        log.info(`host '${host}' is ready`);
        onHostChanged();
        this.session.deliver();
        break;
      case "lost":
        log.warn(`host '${host}' does not answer: its processes keep their state, commands are refused`);
        this.#silence.end();
        this.session.drop();
        this.#notifyProcesses({ type: "host.lost" });
        onHostChanged();
        break;
      case "died":
        log.error(`the daemon of host '${host}' died, and its processes with it`);
        // If another daemon was greeted already, the session is with that one.
        if (this.session.streamId === this.#streamId) this.session.drop();
        // The rest of the output died with the daemon: events that arrived before are delivered first.
        for (const name of [...this.#queues.keys()]) this.#deliverAll(name);
        this.#table = null;
        this.#notifyProcesses({ type: "host.died" });
        onHostChanged();
        break;
      case "incompatible":
        onHostChanged();
        this.session.introduce();
        break;
      case "note":
        log.append({ level: event.level, source: "manager", msg: `host '${host}': ${event.msg}` });
        break;
    }
  }

  /** Reports the state of a process again, for an actor that is rebuilt. */
  reportAgain(name: string): void {
    if (this.#table !== null) this.#reportOne(name, this.lastReport(name));
  }

  /** Most heartbeats change nothing: with 1,000 hosts, a step of the actor for each of them takes 3 % of a core. */
  #heard(heartbeat: HostHeartbeat): void {
    const { host, system } = this.#options;
    this.#silence.heard();
    const known = system.get("host", host)?.getSnapshot();
    if (known === undefined || !isRoutine(known, heartbeat)) system.send("host", host, { type: "heartbeat", heartbeat });
  }

  /** Logs the end of the previous daemon, if this manager has not met the new one before. */
  #greeted({ stream_id, previous_end, output_from }: Greeting): void {
    const { host, log } = this.#options;
    const isNew = this.#streamId !== stream_id;
    this.#streamId = stream_id;
    this.#previousEnd = isNew ? previous_end : null;
    if (isNew && previous_end !== null) log.warn(`host '${host}': ${previous_end}, and its processes with it`);
    if (isNew && output_from !== null) void this.#forgetOutputs();
  }

  /** Drops the output that the host keeps of processes that are no longer configured. */
  async #forgetOutputs(): Promise<void> {
    const { processTable, log, host } = this.#options;
    const { link } = this.session;
    try {
      const kept = await this.session.command((session) => link.request("kept_outputs", { session }));
      const removed = (await readList(this.session, kept, z.array(z.string()))).filter((name) => processTable.hostOf(name) === null);
      while (removed.length > 0) {
        const names = removed.splice(0, MAX_KEPT_NAMES);
        await this.session.command((session) => link.request("forget_outputs", { session, names }));
      }
    } catch (error) {
      log.debug(`host '${host}' keeps the output of removed processes: ${messageOf(error)}`);
    }
  }

  /** The host's newest report about `name`. */
  lastReport(name: string): RunReport | null {
    const run = this.#table?.get(name);
    return run === undefined ? null : this.#stops.applied(run);
  }

  /** Stream id of the newest daemon that was ready. */
  get streamId(): string | null {
    return this.#streamId;
  }

  close(): void {
    this.#cancellation.cancel();
    this.#queues.clear();
    this.#silence.end();
    this.session.close();
  }

  async #greet(signal: AbortSignal): Promise<Greeting> {
    const greeting = await this.session.greet();
    await this.#options.turn();
    signal.throwIfAborted();
    this.#checkClock(greeting.clock_offset_ms);
    const resumed = greeting.alone?.resumed;
    if (resumed !== undefined) {
      const { log, host } = this.#options;
      log.warn(`host '${host}': ${resumedText(resumed)} at ${formatTime(resumed.time)}, without a manager`);
    }
    if (greeting.alone !== null && greeting.alone.restarts > 0) {
      const { log, processTable, onPastRuns } = this.#options;
      const runs = await readPastRuns(this.session, greeting.alone, log);
      onPastRuns(
        runs.filter(({ name }) => processTable.hostOf(name) !== null),
        greeting.stream_id,
      );
    }
    // Windows are requested again (for another daemon, from the beginning) before any process can be spawned there.
    this.#options.hub.hostReady(this.#options.host, greeting.stream_id, greeting.output_from ?? 0);
    return greeting;
  }

  #checkClock(offsetMs: number): void {
    if (Math.abs(offsetMs) < CLOCK_TOLERANCE_MS) return;
    const { host, log } = this.#options;
    const much = `${(Math.abs(offsetMs) / 1_000).toFixed(1)} s ${offsetMs > 0 ? "ahead of" : "behind"}`;
    const msg = `the clock of host '${host}' is ${much} the manager's: times of its processes are from its own clock; synchronize both with a time server`;
    log.warn(msg);
  }

  #report(runs: ReadonlyMap<string, RunReport>, changing: ReadonlySet<string>): void {
    const { host, processTable } = this.#options;
    // A process that is expected on another host and found here is adopted here.
    for (const run of runs.values()) if (!run.extinct && processTable.isUnknown(run.name)) processTable.foundAt(run.name, host);
    const known = new Set(processTable.namesAt(host));
    this.#table = new Map(runs);
    this.#stops.keep(runs.values());
    for (const name of known) {
      const run = runs.get(name) ?? null;
      if (run !== null || !changing.has(name)) this.#reportOne(name, run);
    }
    for (const run of runs.values()) if (!known.has(run.name) && !run.extinct) void this.#stopUnknownRun(run);
  }

  #reportOne(name: string, run: RunReport | null): void {
    const lost = this.#previousEnd;
    this.#enqueue(name, run, () => {
      // This report waited behind other events, and a run has begun meanwhile: "never run" is no longer true.
      if (run === null && this.#table?.has(name)) return;
      if (run !== null) this.#noteChecks(run);
      this.#options.system.send("process", name, { type: "report", run, ...(run === null ? { lost } : this.#here()) });
      if (run !== null) this.#sendFindings(run);
    });
  }

  /** Sends the findings of probes and file watches, which may be from a time without a manager. */
  #sendFindings(run: RunReport): void {
    if (run.exit !== null || run.stopping) return;
    const { system } = this.#options;
    if (run.unhealthy !== null) system.send("process", run.name, { type: "liveness.failed", reason: run.unhealthy });
    if (run.changed_file !== null) system.send("process", run.name, { type: "files.changed", path: run.changed_file });
  }

  #noteChecks(run: RunReport): void {
    const { processTable, onChecks } = this.#options;
    processTable.noteChecks(run);
    if (run.checks !== undefined) onChecks(run.name);
  }

  #event({ kind, run }: HostEvent): void {
    if (this.#table) this.#table.set(run.name, run);
    if (run.exit !== null) this.#stops.ended(run);
    // Events here do not concern a process that is placed on another host.
    if (!this.#options.processTable.concerns(run.name, this.#options.host)) return;
    const type = EVENTS[kind];
    if (kind === "checks") this.#noteChecks(run);
    if (kind === "unhealthy" || kind === "watch") this.#enqueue(run.name, run, () => this.#sendFindings(run));
    if (type) this.#enqueue(run.name, run, () => this.#options.system.send("process", run.name, { type, run }));
  }

  /** Delivers in order; an exit only after its output has passed the hub. */
  #enqueue(name: string, run: RunReport | null, deliver: () => void): void {
    const finalOffset = run?.final_offset ?? null;
    const news: News = { isDue: finalOffset === null, deliver };
    const queue = this.#queues.get(name) ?? [];
    this.#queues.set(name, queue);
    queue.push(news);
    if (finalOffset !== null) {
      void this.#options.hub.reached(name, finalOffset, OUTPUT_TIMEOUT_MS).then(() => {
        news.isDue = true;
        if (this.#queues.get(name) === queue) this.#deliverDue(name, queue);
      });
    }
    this.#deliverDue(name, queue);
  }

  #deliverDue(name: string, queue: News[]): void {
    while (queue[0]?.isDue) queue.shift()?.deliver();
    if (queue.length === 0 && this.#queues.get(name) === queue) this.#queues.delete(name);
  }

  #deliverAll(name: string): void {
    const queue = this.#queues.get(name) ?? [];
    for (const news of queue) news.isDue = true;
    this.#deliverDue(name, queue);
  }

  #here(): { host: string | null } {
    return { host: this.#options.isLocal ? null : this.#options.host };
  }

  /** Stops a run that belongs to no configured process. */
  async #stopUnknownRun({ name, pid, run_id }: RunReport): Promise<void> {
    if (this.#unknownRuns.has(run_id)) return;
    this.#unknownRuns.add(run_id);
    const { log, host, processTable } = this.#options;
    const why = processTable.hostOf(name) === null ? "is not configured any more" : `runs on host '${host}', but is configured elsewhere`;
    log.warn(`process '${name}' (pid ${pid}) ${why}: it is stopped`, [name]);
    try {
      await stopRun(
        { session: this.session, clock: this.#options.clock },
        { runId: run_id, steps: STRANGER_STEPS, isWanted: false },
        this.#cancellation,
      );
    } catch (error) {
      if (!this.#cancellation.isCancelled) log.error(`could not stop '${name}': ${messageOf(error)}`, [name]);
    } finally {
      this.#unknownRuns.delete(run_id);
    }
  }

  #notifyProcesses(event: { type: "host.lost" | "host.died" }): void {
    for (const name of this.#options.processTable.namesAt(this.#options.host)) this.#options.system.send("process", name, event);
  }
}
