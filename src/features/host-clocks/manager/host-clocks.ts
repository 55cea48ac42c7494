import type { DomainEvents } from "../../../actors/domain-events.ts";
import { HostParts } from "../../../app/hosts/host-parts.ts";
import type { HostSession } from "../../../app/hosts/host-session.ts";
import type { HostTable } from "../../../app/hosts/host-table.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import type { ClockOffset } from "../clock-drift.ts";
import { HostClock } from "./host-clock.ts";

/** The clocks of the hosts, as far as they are from that of the manager. They are measured while a feature needs it. */
export interface HostClocks {
  /** A feature needs the clocks from now on, or no longer. */
  need(feature: string, isNeeded: boolean): void;
  /** The offset of a host at a time by the manager's clock; null: it was never measured. */
  offset(host: string, time: bigint): ClockOffset | null;
  /** Measures the clock of a host several times now. Never rejects. */
  refine(host: string): Promise<void>;
}

interface HostClocksOptions {
  readonly hosts: Pick<HostTable, "session">;
  readonly events: DomainEvents;
  readonly clock: Clock;
  /** Time by the clock of the manager, nanoseconds since 1970. */
  readonly now: () => bigint;
  readonly localHost: string;
}

export class ManagerHostClocks implements HostClocks {
  readonly #options: HostClocksOptions;
  readonly #clocks = new Map<string, HostClock>();
  readonly #hosts: HostParts<{ session: HostSession; close: () => void }>;
  readonly #needs = new Set<string>();
  readonly #unsubscribe: () => void;

  constructor(options: HostClocksOptions) {
    this.#options = options;
    const { hosts, events } = options;
    this.#hosts = new HostParts({
      hosts,
      events,
      make: (host, session) => ({ session, close: () => this.#clocks.get(host)?.close() }),
      begin: (host, { session }) => this.#begin(host, session),
      removed: () => {},
    });
    this.#unsubscribe = events.subscribe((event) => {
      if (event.type === "host_remove") this.#clocks.delete(event.name);
    });
  }

  need(feature: string, isNeeded: boolean): void {
    const before = this.#needs.size;
    if (isNeeded) this.#needs.add(feature);
    else this.#needs.delete(feature);
    if (this.#needs.size === 0) for (const clock of this.#clocks.values()) clock.close();
    else if (before === 0)
      for (const host of this.#hosts.ready) {
        const session = this.#hosts.get(host)?.session;
        if (session !== undefined) this.#begin(host, session);
      }
  }

  offset(host: string, time: bigint): ClockOffset | null {
    return this.#clocks.get(host)?.at(time) ?? null;
  }

  async refine(host: string): Promise<void> {
    await this.#clocks.get(host)?.refine();
  }

  close(): void {
    this.#unsubscribe();
    this.#hosts.close();
  }

  #begin(host: string, session: HostSession): void {
    if (this.#needs.size === 0) return;
    const { clock, now, localHost } = this.#options;
    const known = this.#clocks.get(host) ?? new HostClock({ clock, now, isLocal: host === localHost });
    this.#clocks.set(host, known);
    known.begin(session);
  }
}
