import { treeLives } from "../../actors/process/process-context.ts";
import type { ProcessSnapshot } from "../../actors/process/process-machine.ts";
import type { Config } from "../../config/definition.ts";
import { processesAt } from "../../config/processes-by-host.ts";
import { UP_STATES } from "../../protocol/process/process-state.ts";

interface ProcessPlacementOptions {
  config: () => Config;
  /** Canonical name of the manager's own host. */
  hostName: string;
  snapshot: (name: string) => ProcessSnapshot | undefined;
  /** Returns the host shown for a process without an actor. */
  shown: (name: string) => string | null;
}

/**
 * Maps processes to hosts. A living process is where it was started, even if the configuration has changed; a stopped one is on the host of its
 * next run.
 */
export class ProcessPlacement {
  readonly #options: ProcessPlacementOptions;
  /** Names that may be on another host than their definition's. */
  readonly #movers = new Set<string>();
  /** Hosts on which processes are alive, by name, until their actors know. */
  readonly #found = new Map<string, string>();

  constructor(options: ProcessPlacementOptions) {
    this.#options = options;
  }

  hostOf(name: string): string | null {
    const definition = this.#options.config().processes.get(name);
    if (!definition) return null;
    const snapshot = this.#options.snapshot(name);
    if (!snapshot) return this.#options.shown(name) ?? this.#canonical(definition.host);
    const { context } = snapshot;
    const isUnknown = snapshot.value === "unknown";
    const found = isUnknown ? this.#found.get(name) : undefined;
    if (found !== undefined) return found;
    if (context.host === context.definition.host) return this.#canonical(context.host);
    const isThere = isUnknown || UP_STATES.has(context.shown) || treeLives(context);
    return this.#canonical(isThere ? context.host : context.definition.host);
  }

  /** The host of its newest run. */
  lastHostOf(name: string): string | null {
    const snapshot = this.#options.snapshot(name);
    if (!snapshot || !this.#options.config().processes.has(name)) return this.hostOf(name);
    return this.#canonical(snapshot.context.host);
  }

  namesAt(host: string): string[] {
    const names: string[] = [];
    for (const { name } of processesAt(this.#options.config(), host, host === this.#options.hostName))
      if (!this.#movers.has(name) || this.hostOf(name) === host) names.push(name);
    const isOwn = new Set(names);
    for (const name of this.#movers) if (!isOwn.has(name) && this.hostOf(name) === host) names.push(name);
    return names;
  }

  mayRunOnOtherHost(name: string): void {
    this.#movers.add(name);
  }

  foundAt(name: string, host: string): void {
    this.#movers.add(name);
    this.#found.set(name, host);
  }

  forget(name: string): void {
    this.#movers.delete(name);
    this.#found.delete(name);
  }

  #canonical(host: string | null): string {
    return host ?? this.#options.hostName;
  }
}
