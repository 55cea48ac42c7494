import type { DomainEvents } from "../../../actors/domain-events.ts";
import { HostParts } from "../../../app/hosts/host-parts.ts";
import type { HostSession } from "../../../app/hosts/host-session.ts";
import type { HostTable } from "../../../app/hosts/host-table.ts";
import type { ProcessTable } from "../../../app/processes/process-table.ts";
import { MgrError } from "../../../base/errors.ts";
import { ancestorNames } from "../../../base/text/names.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import type { ManagerFrame } from "../../../protocol/frames/frames.ts";
import { formatTime } from "../../../protocol/time.ts";
import { RENEW_MS } from "../contract.ts";
import { type Figures, MAX_NAMES } from "../series.ts";
import { loadFigures } from "./load-figures.ts";

export type LoadSample = Extract<ManagerFrame, { type: "load_sample" }>;
type Listener = (sample: LoadSample) => void;

interface LoadWatchesOptions {
  readonly clock: Clock;
  readonly hosts: HostTable;
  readonly events: DomainEvents;
  readonly processes: Pick<ProcessTable, "hostOf" | "membersOf" | "process">;
}

/** Processes and groups that connections watch: their hosts sample them each second. */
export class LoadWatches {
  readonly #options: LoadWatchesOptions;
  /** By the name of a process or group. */
  readonly #listeners = new Map<string, Set<Listener>>();
  readonly #parts: HostParts<{ session: HostSession; close(): void }>;
  /** Hosts that were requested to sample something. */
  readonly #requested = new Set<string>();
  #timer: unknown = null;

  constructor(options: LoadWatchesOptions) {
    this.#options = options;
    const { hosts, events } = options;
    this.#parts = new HostParts({
      hosts,
      events,
      make: (host, session) => ({
        session,
        close: session.link.listen({ onNews: { load_samples: ({ time, rows }) => this.#sampled(host, time, rows) } }),
      }),
      begin: () => this.#soon(),
      removed: () => {},
    });
  }

  /** Throws `not_found`. */
  watch(name: string, sampled: Listener): () => void {
    const { processes } = this.#options;
    if (processes.process(name) === undefined && processes.membersOf(name).length === 0)
      throw new MgrError("not_found", `there is no process or group '${name}'`);
    // The same function may be given twice.
    const listener: Listener = (sample) => sampled(sample);
    const listeners = this.#listeners.get(name) ?? new Set();
    this.#listeners.set(name, listeners.add(listener));
    this.#soon();
    return () => {
      listeners.delete(listener);
      if (listeners.size === 0 && this.#listeners.get(name) === listeners) this.#listeners.delete(name);
      this.#soon();
    };
  }

  close(): void {
    this.#options.clock.clearTimeout(this.#timer);
    this.#parts.close();
  }

  /** Subscriptions that come together are requested together. */
  #soon(): void {
    if (this.#listeners.size === 0 && this.#requested.size === 0) return;
    this.#options.clock.clearTimeout(this.#timer);
    this.#timer = this.#options.clock.setTimeout(() => this.#request(), 0);
  }

  /** Requests of each host the processes that it is to sample, again and again: it forgets them otherwise. */
  #request(): void {
    const wanted = this.#wanted();
    for (const host of new Set([...wanted.keys(), ...this.#requested])) {
      const names = [...(wanted.get(host) ?? [])].slice(0, MAX_NAMES);
      if (names.length > 0) this.#requested.add(host);
      else this.#requested.delete(host);
      const session = this.#options.hosts.session(host);
      // A host that is away is requested when it is back.
      if (session?.isOpen) session.command((id) => session.link.request("watch_loads", { session: id, names })).catch(() => undefined);
    }
    if (this.#listeners.size > 0) this.#timer = this.#options.clock.setTimeout(() => this.#request(), RENEW_MS);
  }

  #wanted(): Map<string, Set<string>> {
    const { processes } = this.#options;
    const wanted = new Map<string, Set<string>>();
    for (const watched of this.#listeners.keys()) {
      for (const name of processes.process(watched) === undefined ? processes.membersOf(watched) : [watched]) {
        const host = processes.hostOf(name);
        if (host !== null) wanted.set(host, (wanted.get(host) ?? new Set()).add(name));
      }
    }
    return wanted;
  }

  #sampled(host: string, time: number, rows: readonly [name: string, figures: Figures][]): void {
    for (const [name, figures] of rows) {
      const watched = [name, ...ancestorNames(name)].filter((each) => this.#listeners.has(each));
      if (watched.length === 0) continue;
      const sample: LoadSample = { type: "load_sample", name, host, ts: formatTime(time), load: loadFigures(figures) };
      for (const each of watched) for (const listener of [...(this.#listeners.get(each) ?? [])]) listener(sample);
    }
  }
}
