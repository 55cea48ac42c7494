import type { Clock } from "../../base/timing/clock.ts";
import type { LogBook } from "../../log/log-book.ts";
import type { RefusedDaemon } from "../bus/bus-tokens.ts";

/** Time without an attempt after which a refused daemon is forgotten, milliseconds: a running one tries again at least every two seconds. */
const QUIET_MS = 10_000;

interface RefusedDaemonsOptions {
  readonly clock: Clock;
  readonly log: LogBook;
  readonly onChanged: (host: string) => void;
}

/** Daemons whose token belongs to another host, by the host that shows them. Each is logged when it appears. */
export class RefusedDaemons {
  readonly #options: RefusedDaemonsOptions;
  readonly #known = new Map<string, { problem: string; timer: unknown }>();

  constructor(options: RefusedDaemonsOptions) {
    this.#options = options;
  }

  problemOf(host: string): string | null {
    return this.#known.get(host)?.problem ?? null;
  }

  note(host: string, { claimed, owner, address }: RefusedDaemon): void {
    const { clock, log, onChanged } = this.#options;
    const known = this.#known.get(host);
    clock.clearTimeout(known?.timer);
    const timer = clock.setTimeout(() => this.forget(host), QUIET_MS);
    if (known !== undefined) {
      known.timer = timer;
      return;
    }
    const problem = `refused a daemon called '${claimed}' at ${address}: this token belongs to ${owner}`;
    this.#known.set(host, { problem, timer });
    log.warn(problem);
    onChanged(host);
  }

  forget(host: string): void {
    const known = this.#known.get(host);
    if (known === undefined) return;
    this.#options.clock.clearTimeout(known.timer);
    this.#known.delete(host);
    this.#options.onChanged(host);
  }

  close(): void {
    for (const { timer } of this.#known.values()) this.#options.clock.clearTimeout(timer);
    this.#known.clear();
  }
}
