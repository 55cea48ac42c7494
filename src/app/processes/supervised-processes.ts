import type { ProcessSnapshot } from "../../actors/process/process-machine.ts";
import { type AnyErrorCode, MgrError } from "../../base/errors.ts";
import type { Clock } from "../../base/timing/clock.ts";
import type { RequestOf } from "../../contract/messages.ts";
import { MAX_SUPERVISED_NAMES } from "../../contract/supervision.ts";
import type { HostSession } from "../hosts/host-session.ts";
import type { HostTable } from "../hosts/host-table.ts";
import type { CurrentConfig } from "./current-config.ts";
import type { ProcessTable } from "./process-table.ts";

/** Pause before a message without a good answer is repeated, milliseconds; twice as long each time: a daemon of an earlier version never answers. */
const RETRY_MS = 1_000;
const MAX_RETRY_MS = 60_000;
/** Pause from which a host that is removed is not waited for any more, milliseconds: it has not answered three times. */
const UNANSWERED_MS = 8_000;

interface SupervisedProcessesOptions {
  readonly snapshot: (name: string) => ProcessSnapshot | undefined;
  readonly processTable: Pick<ProcessTable, "hostOf" | "namesAt">;
  readonly hosts: Pick<HostTable, "session">;
  readonly current: Pick<CurrentConfig, "config">;
  readonly clock: Clock;
  /** Called when `isInformed` may have become true for a host. */
  readonly onInformed: () => void;
}

/** `wanted`: another run follows the end of one. `requested`: not by the restart policy, but its start is requested, as after a boot. */
type Request = "wanted" | "requested" | "stopped";

/** The knowledge of one host about its processes. */
interface Known {
  /** The value that the host was told, or knows by a spawn. */
  readonly told: Map<string, Request>;
  readonly due: Map<string, Request>;
  isFirst: boolean;
  isSending: boolean;
  /** Whether the host is of a version that does not supervise. */
  isUnsupported: boolean;
  retry: unknown;
  pauseMs: number;
}

/** Keeps each host informed for which of its processes it starts another run, if it loses this manager or boots without it (contract: `supervise`). */
export class SupervisedProcesses {
  readonly #options: SupervisedProcessesOptions;
  readonly #known = new Map<string, Known>();
  /** Host of each process, as of its last step. */
  readonly #places = new Map<string, string>();

  constructor(options: SupervisedProcessesOptions) {
    this.#options = options;
  }

  /** Called after each step of a process's actor. */
  stepped(name: string): void {
    const host = this.#options.processTable.hostOf(name);
    const before = this.#places.get(name);
    if (before !== undefined && before !== host) this.#leave(name, before);
    if (host === null) return;
    this.#places.set(name, host);
    const known = this.#known.get(host);
    if (known === undefined) return;
    // The spawn itself tells the host, unless the first message overtakes it.
    const context = this.#options.snapshot(name)?.context;
    if (!known.isFirst && context?.shown === "starting" && context.requested === "start") known.told.set(name, "wanted");
    if (this.#note(name, known)) this.#sendSoon(host, known);
  }

  /** Tells a host that a process has moved to another one, or was removed. */
  #leave(name: string, host: string): void {
    this.#places.delete(name);
    const known = this.#known.get(host);
    if (known === undefined || known.told.get(name) === "stopped") return;
    known.due.set(name, "stopped");
    this.#sendSoon(host, known);
  }

  /** Called when a host is ready: it may have been told something else by another manager. */
  hostReady(host: string): void {
    this.hostLost(host);
    const known: Known = {
      told: new Map(),
      due: new Map(),
      isFirst: true,
      isSending: false,
      isUnsupported: false,
      retry: null,
      pauseMs: RETRY_MS,
    };
    this.#known.set(host, known);
    for (const name of this.#options.processTable.namesAt(host)) this.#note(name, known);
    this.#sendSoon(host, known);
  }

  hostLost(host: string): void {
    this.#options.clock.clearTimeout(this.#known.get(host)?.retry);
    this.#known.delete(host);
  }

  /** Whether the host has accepted what it must know, or cannot be told: one that is removed could otherwise start processes that have moved. */
  isInformed(host: string): boolean {
    const known = this.#known.get(host);
    return known === undefined || known.isUnsupported || known.pauseMs >= UNANSWERED_MS || (known.due.size === 0 && !known.isSending);
  }

  /** Called when settings of hosts may have changed: each host is told them, also if no process has changed. */
  reloaded(): void {
    for (const [host, known] of this.#known) this.#sendSoon(host, known);
  }

  close(): void {
    for (const host of [...this.#known.keys()]) this.hostLost(host);
  }

  /** Returns whether the host has to be told about the process. */
  #note(name: string, { told, due }: Known): boolean {
    const snapshot = this.#options.snapshot(name);
    if (snapshot === undefined || snapshot.value === "unknown") return false;
    const request = this.#requestOf(snapshot);
    if (told.get(name) === request) due.delete(name);
    else due.set(name, request);
    return due.has(name);
  }

  #requestOf({ context }: ProcessSnapshot): Request {
    const { requested, shown, waitingFor, definition } = context;
    if (requested === "stop") return "stopped";
    if (shown === "stopped" || shown === "error") return "requested";
    // The host does not know the processes of other hosts.
    const { processes } = this.#options.current.config;
    const isWanted = shown !== "waiting" || waitingFor.every((name) => processes.get(name)?.host === definition.host);
    return isWanted ? "wanted" : "requested";
  }

  #sendSoon(host: string, known: Known): void {
    if (known.isSending || known.isUnsupported) return;
    known.isSending = true;
    // Changes of one turn share a message. It precedes the stop that belongs to it, which waits until the request is saved.
    queueMicrotask(() => void this.#send(host, known));
  }

  async #send(host: string, known: Known): Promise<void> {
    const { hosts, clock } = this.#options;
    do {
      const session = hosts.session(host);
      if (this.#known.get(host) !== known || session?.isOpen !== true) return;
      const processes = [...known.due].slice(0, MAX_SUPERVISED_NAMES);
      for (const [name, request] of processes) {
        known.due.delete(name);
        known.told.set(name, request);
      }
      try {
        await this.#tell(session, host, processes, known.isFirst);
        known.isFirst = false;
        known.pauseMs = RETRY_MS;
      } catch (error) {
        if (this.#known.get(host) !== known) return;
        known.isUnsupported = isUnknown(error);
        if (known.isUnsupported) return this.#options.onInformed();
        for (const [name, request] of processes) if (known.told.get(name) === request) known.told.delete(name);
        for (const [name, request] of processes) if (!known.due.has(name)) known.due.set(name, request);
        known.retry = clock.setTimeout(() => void this.#send(host, known), known.pauseMs);
        known.pauseMs = Math.min(2 * known.pauseMs, MAX_RETRY_MS);
        return this.#options.onInformed();
      }
    } while (known.due.size > 0);
    known.isSending = false;
    this.#options.onInformed();
  }

  #tell(session: HostSession, host: string, processes: readonly (readonly [string, Request])[], is_first: boolean): Promise<unknown> {
    const { start_rate = null, on_boot = "wait" } = this.#options.current.config.hosts.get(host) ?? {};
    const part: Omit<RequestOf<"supervise">, "session"> = {
      processes: processes.map(([name, request]) => [name, request === "wanted"]),
      is_first,
      start_rate,
      requested: processes.flatMap(([name, request]) => (request === "requested" ? name : [])),
      on_boot,
    };
    return session.command((id) => session.link.request("supervise", { session: id, ...part }));
  }
}

/** Whether the host is of a version that does not supervise. */
function isUnknown(error: unknown): boolean {
  return error instanceof MgrError && error.code === ("unknown_action" satisfies AnyErrorCode);
}
