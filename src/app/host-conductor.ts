import type { Greeting } from "../actors/host-machine.ts";
import type { ActorSystem } from "../actors/system.ts";
import type { Clock } from "../base/clock.ts";
import { messageOf } from "../base/errors.ts";
import type { HostLink } from "../contract/host-link.ts";
import type { HostEvent } from "../contract/messages.ts";
import type { RunReport } from "../contract/run.ts";
import type { LogBook } from "../log/log-book.ts";
import type { OutputHub } from "../transport/output-hub.ts";
import { hostWithEffects } from "./effects/providers.ts";
import { HostSession } from "./host-session.ts";

interface ConductorOptions {
  host: string;
  link: HostLink;
  epoch: number;
  clock: Clock;
  system: ActorSystem;
  hub: OutputHub;
  log: LogBook;
  /** Names of the processes that belong to this host. */
  processes: () => readonly string[];
  /** The host's state may have changed. */
  onHostChanged: () => void;
  /** The daemon is dead: the local one is started again. */
  onDied: () => void;
}

/** An exit waits this long for its output, milliseconds; then what is missing is declared lost (runtime.md, "Exit never overtakes output"). */
const OUTPUT_PATIENCE_MS = 1_000;

const EVENTS = { spawned: "run.spawned", ready: "run.ready", exited: "run.exited", extinct: "run.extinct" } as const;

/** Leads one host's session, its actor and the actors of its processes: who hears what, in which order. */
export class HostConductor {
  readonly session: HostSession;
  readonly #options: ConductorOptions;
  /** What waits for output, by process: later news of the same process queue behind it. */
  readonly #queues = new Map<string, Promise<void>>();
  /** The newest report of each run, for an actor that has to be built anew. */
  #table: Map<string, RunReport> | null = null;

  constructor(options: ConductorOptions) {
    this.#options = options;
    const { host, system, hub, log } = options;
    this.session = new HostSession({
      link: options.link,
      epoch: options.epoch,
      clock: options.clock,
      listener: {
        onHeartbeat: (heartbeat) => system.send("host", host, { type: "heartbeat", heartbeat }),
        onOutput: (chunk) => hub.receive(host, chunk),
        onLog: (entry) => log.append(entry),
        onReport: (runs, changing) => this.#report(runs, changing),
        onEvent: (event) => this.#event(event),
        onStale: () => system.send("host", host, { type: "stale" }),
      },
    });
    system.spawn("host", host, (scope) => ({ machine: hostWithEffects((signal) => this.#greet(signal), scope), input: { name: host } }));
  }

  /** What the host's actor says. */
  onEmit(event: { type: string }): void {
    const { host, log, onHostChanged } = this.#options;
    switch (event.type) {
      case "ready":
        log.append({ level: "info", source: "manager", msg: `host '${host}' is ready` });
        this.#tellProcesses({ type: "host.ready" });
        onHostChanged();
        this.session.deliver();
        break;
      case "lost":
        log.append({
          level: "warning",
          source: "manager",
          msg: `host '${host}' does not answer: its processes keep their state, commands are refused`,
        });
        this.session.drop();
        this.#tellProcesses({ type: "host.lost" });
        onHostChanged();
        break;
      case "died":
        log.append({ level: "error", source: "manager", msg: `the daemon of host '${host}' died, and its processes with it` });
        this.session.drop();
        this.#table = null;
        this.#tellProcesses({ type: "host.died" });
        onHostChanged();
        this.#options.onDied();
        break;
      case "note":
        if ("level" in event && "msg" in event)
          log.append({ level: event.level as "info", source: "manager", msg: `host '${host}': ${String(event.msg)}` });
        break;
    }
  }

  /** An actor that was built anew asks what is true of its process. */
  reportAgain(name: string): void {
    if (this.#table !== null) this.#options.system.send("process", name, { type: "report", run: this.#table.get(name) ?? null });
  }

  close(): void {
    this.session.close();
  }

  async #greet(signal: AbortSignal): Promise<Greeting> {
    const greeting = await this.session.greet();
    signal.throwIfAborted();
    // Windows are asked for again, and of another daemon from the beginning, before any process can be spawned there.
    this.#options.hub.hostReady(this.#options.host, greeting.stream_id);
    return greeting;
  }

  #report(runs: ReadonlyMap<string, RunReport>, changing: ReadonlySet<string>): void {
    const known = new Set(this.#options.processes());
    this.#table = new Map(runs);
    for (const name of known) {
      const run = runs.get(name) ?? null;
      if (run === null && changing.has(name)) continue;
      this.#enqueue(name, run, () => this.#options.system.send("process", name, { type: "report", run }));
    }
    for (const run of runs.values()) if (!known.has(run.name) && !run.extinct) this.#stopStranger(run);
  }

  #event({ kind, run }: HostEvent): void {
    if (this.#table) this.#table.set(run.name, run);
    if (kind === "stopping" || kind === "changed") return;
    this.#enqueue(run.name, run, () => this.#options.system.send("process", run.name, { type: EVENTS[kind], run }));
  }

  /** Delivers in order, an end only after its output has passed the hub. */
  #enqueue(name: string, run: RunReport | null, deliver: (run: RunReport | null) => void): void {
    const before = this.#queues.get(name);
    const finalOffset = run?.final_offset ?? null;
    const output = finalOffset === null ? null : this.#options.hub.reached(name, finalOffset, OUTPUT_PATIENCE_MS);
    const turn = Promise.all([before, output]).then(() => {
      if (this.#queues.get(name) === turn) this.#queues.delete(name);
      deliver(run);
    });
    this.#queues.set(name, turn);
  }

  /** Stops a run that no configured process stands for. */
  #stopStranger(run: RunReport): void {
    const { log } = this.#options;
    log.append({
      level: "warning",
      source: "manager",
      msg: `process '${run.name}' (pid ${run.pid}) is not configured any more: it is stopped`,
    });
    const steps = [
      { signal: "SIGTERM", timeout_ms: 10_000 },
      { signal: "SIGKILL", timeout_ms: 10_000 },
    ];
    this.session
      .command((session) => this.session.link.request("stop", { session, run_id: run.run_id, steps }))
      .catch((error: unknown) =>
        log.append({ level: "error", source: "manager", msg: `could not stop '${run.name}': ${messageOf(error)}` }),
      );
  }

  #tellProcesses(event: { type: "host.ready" | "host.lost" | "host.died" }): void {
    for (const name of this.#options.processes()) this.#options.system.send("process", name, event);
  }
}
