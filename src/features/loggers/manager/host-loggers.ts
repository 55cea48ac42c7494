import type { HostSession } from "../../../app/hosts/host-session.ts";
import { readList } from "../../../app/hosts/list-reader.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import { type LoggerSpec, type RingReport, ringPage } from "../contract.ts";

/** Interval for polling the counts of a host while a logger records, milliseconds. */
const POLL_MS = 500;

interface HostLoggersOptions {
  readonly session: HostSession;
  readonly clock: Clock;
  /** Whether a logger records, so that counts grow. */
  readonly isRecording: () => boolean;
  /** Called when the reports of these loggers were replaced. */
  readonly changed: (names: ReadonlySet<string>) => void;
}

/** The rings that one host reported last. They are kept while the host is lost. */
export class HostLoggers {
  readonly #options: HostLoggersOptions;
  #reports: ReadonlyMap<string, readonly RingReport[]> = new Map();
  #timer: unknown = null;
  #isAsking = false;
  /** A refresh was requested since the last request began. */
  #isOld = false;
  #isClosed = false;

  constructor(options: HostLoggersOptions) {
    this.#options = options;
  }

  get session(): HostSession {
    return this.#options.session;
  }

  rings(logger: string): readonly RingReport[] {
    return this.#reports.get(logger) ?? [];
  }

  /** Fetches the rings; returns the names of all loggers on the host, including those without a ring and those of another manager. */
  async fetch(): Promise<readonly string[]> {
    const rings = new Map<string, RingReport[]>();
    const answer = await this.session.command((session) => this.session.link.request("logger_reports", { session }));
    for (const ring of await readList(this.session, answer, ringPage)) {
      const known = rings.get(ring.logger);
      if (known === undefined) rings.set(ring.logger, [ring]);
      else known.push(ring);
    }
    const before = this.#reports;
    this.#reports = rings;
    this.#options.changed(new Set([...before.keys(), ...this.#reports.keys()]));
    return answer.loggers;
  }

  async set(logger: LoggerSpec, maxMemory: number): Promise<void> {
    await this.session.command((session) => this.session.link.request("logger_set", { session, logger, max_memory: maxMemory }));
    this.refresh();
  }

  async delete(name: string): Promise<void> {
    await this.session.command((session) => this.session.link.request("logger_delete", { session, name }));
    this.refresh();
  }

  /** Requests the counts now, and repeats this while a logger records. */
  refresh(): void {
    this.#isOld = true;
    if (!this.#isAsking) void this.#ask();
  }

  close(): void {
    this.#isClosed = true;
    this.#options.clock.clearTimeout(this.#timer);
  }

  async #ask(): Promise<void> {
    const { clock, isRecording } = this.#options;
    clock.clearTimeout(this.#timer);
    this.#isAsking = true;
    this.#isOld = false;
    // A lost host is polled again when it is back.
    await this.fetch().catch(() => undefined);
    this.#isAsking = false;
    if (this.#isClosed || !this.session.isOpen) return;
    if (this.#isOld) void this.#ask();
    else if (isRecording()) this.#timer = clock.setTimeout(() => this.refresh(), POLL_MS);
  }
}
