import type { ProcessSnapshot } from "../../actors/process/process-machine.ts";
import type { Clock } from "../../base/clock.ts";
import { type AnyErrorCode, MgrError } from "../../base/errors.ts";
import { MAX_SUPERVISED_NAMES } from "../../contract/supervision.ts";
import type { HostSession } from "../hosts/host-session.ts";
import type { HostTable } from "../hosts/host-table.ts";
import type { CurrentConfig } from "./current-config.ts";
import type { ProcessTable } from "./process-table.ts";

/** Pause before a refused message is repeated, milliseconds. */
const RETRY_MS = 1_000;

interface SupervisedProcessesOptions {
  readonly snapshot: (name: string) => ProcessSnapshot | undefined;
  readonly processTable: Pick<ProcessTable, "hostOf" | "namesAt">;
  readonly hosts: Pick<HostTable, "session">;
  readonly current: Pick<CurrentConfig, "config">;
  readonly clock: Clock;
}

/** The knowledge of one host about its processes. */
interface Known {
  /** What the host was told, or knows by a spawn. */
  readonly told: Map<string, boolean>;
  readonly due: Map<string, boolean>;
  isSending: boolean;
  retry: unknown;
}

/** Keeps each host informed for which of its processes it starts another run, if it loses this manager (contract: `supervise`). */
export class SupervisedProcesses {
  readonly #options: SupervisedProcessesOptions;
  readonly #known = new Map<string, Known>();

  constructor(options: SupervisedProcessesOptions) {
    this.#options = options;
  }

  /** Called after each step of a process's actor. */
  stepped(name: string): void {
    const host = this.#options.processTable.hostOf(name);
    const known = host === null ? undefined : this.#known.get(host);
    if (host !== null && known !== undefined && this.#note(name, known)) this.#sendSoon(host, known);
  }

  /** Called when a host is ready: it may have been told something else by another manager. */
  hostReady(host: string): void {
    this.hostLost(host);
    const known: Known = { told: new Map(), due: new Map(), isSending: false, retry: null };
    this.#known.set(host, known);
    for (const name of this.#options.processTable.namesAt(host)) this.#note(name, known);
    this.#sendSoon(host, known);
  }

  hostLost(host: string): void {
    this.#options.clock.clearTimeout(this.#known.get(host)?.retry);
    this.#known.delete(host);
  }

  close(): void {
    for (const host of [...this.#known.keys()]) this.hostLost(host);
  }

  /** Returns whether the host has to be told about the process. */
  #note(name: string, { told, due }: Known): boolean {
    const snapshot = this.#options.snapshot(name);
    if (snapshot === undefined || snapshot.value === "unknown") return false;
    const isWanted = this.#isWanted(snapshot);
    // The spawn itself tells the host.
    if (isWanted && snapshot.context.shown === "starting") told.set(name, true);
    if (told.get(name) === isWanted) return due.delete(name) && false;
    due.set(name, isWanted);
    return true;
  }

  #isWanted({ context }: ProcessSnapshot): boolean {
    const { requested, shown, waitingFor, definition } = context;
    if (requested === "stop" || shown === "stopped" || shown === "error") return false;
    // The host does not know the processes of other hosts.
    const { processes } = this.#options.current.config;
    return shown !== "waiting" || waitingFor.every((name) => processes.get(name)?.host === definition.host);
  }

  #sendSoon(host: string, known: Known): void {
    if (known.isSending) return;
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
      for (const [name, isWanted] of processes) {
        known.due.delete(name);
        known.told.set(name, isWanted);
      }
      try {
        await this.#tell(session, host, processes);
      } catch (error) {
        if (this.#known.get(host) !== known || isUnknown(error)) return;
        for (const [name, isWanted] of processes) if (known.told.get(name) === isWanted) known.told.delete(name);
        for (const [name] of processes) this.#note(name, known);
        known.retry = clock.setTimeout(() => void this.#send(host, known), RETRY_MS);
        return;
      }
    } while (known.due.size > 0);
    known.isSending = false;
  }

  #tell(session: HostSession, host: string, processes: [string, boolean][]): Promise<unknown> {
    const start_rate = this.#options.current.config.hosts.get(host)?.start_rate ?? null;
    return session.command((id) => session.link.request("supervise", { session: id, processes, start_rate }));
  }
}

/** Whether the host is of a version that does not supervise. */
function isUnknown(error: unknown): boolean {
  return error instanceof MgrError && error.code === ("unknown_action" satisfies AnyErrorCode);
}
