import type { DomainEvents } from "../../../actors/domain-events.ts";
import { HostParts } from "../../../app/hosts/host-parts.ts";
import type { HostSession } from "../../../app/hosts/host-session.ts";
import type { HostTable } from "../../../app/hosts/host-table.ts";
import { MgrError, messageOf } from "../../../base/errors.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import type { LogBook } from "../../../log/log-book.ts";
import type { ClockOffset } from "../../host-clocks/clock-drift.ts";
import type { HostClocks } from "../../host-clocks/manager/index.ts";
import { NoteSender } from "../../recordings/manager/index.ts";
import type { FlightSettings } from "../config.ts";
import type { FlightNote, FlightPart } from "../contract.ts";
import { flightSpec } from "./flight-spec.ts";
import { HostFlight } from "./host-flight.ts";

/** Entries that the manager adds to the ring of its host beside its log. */
export type NoteKind = "services" | "parameters" | "network";

interface FlightFleetOptions {
  readonly hosts: HostTable;
  readonly clocks: HostClocks;
  readonly events: DomainEvents;
  readonly clock: Clock;
  readonly log: LogBook;
  readonly now: () => bigint;
  readonly localHost: string;
  readonly settings: () => FlightSettings | null;
  readonly reported: (host: string, part: FlightPart) => void;
  readonly replaced: (host: string, parts: readonly FlightPart[]) => void;
  /** A host is connected, or is not any more. */
  readonly changed: () => void;
  readonly removed: (host: string) => void;
}

/** The flight recorders of all hosts: what they keep, and the requests to them. */
export class FlightFleet {
  readonly #options: FlightFleetOptions;
  readonly #hosts: HostParts<HostFlight>;
  readonly #notes: NoteSender<NoteKind>;
  /** The settings that each host received last, so that a change for one is not sent to the others. */
  readonly #told = new Map<string, string>();
  readonly #unsubscribe: () => void;
  /** Number of hosts when all were configured. */
  #hostCount = 0;

  constructor(options: FlightFleetOptions) {
    this.#options = options;
    const { hosts, events, clock, log, settings } = options;
    this.#hosts = new HostParts({
      hosts,
      events,
      make: (host, session) =>
        new HostFlight({
          session,
          clock,
          changed: (part) => options.reported(host, part),
          replaced: (parts) => options.replaced(host, parts),
        }),
      begin: (host, flight) => this.#begin(host, flight),
      lost: () => options.changed(),
      removed: () => {},
    });
    // Also of a host that was never connected.
    this.#unsubscribe = events.subscribe((event) => {
      if (event.type !== "host_remove") return;
      this.#told.delete(event.name);
      options.removed(event.name);
      this.configure();
    });
    this.#notes = new NoteSender({
      clock,
      log,
      isNeeded: () => settings() !== null,
      send: (notes) => this.#send(notes.map(({ time, kind, value }) => ({ time, topic: `mgr/${kind}` as const, value }))),
    });
  }

  /** Hosts that are connected. */
  get ready(): ReadonlySet<string> {
    return this.#hosts.ready;
  }

  /** The session with a host that is connected; null: it is not. */
  session(host: string): HostSession | null {
    return this.ready.has(host) ? (this.#hosts.get(host)?.session ?? null) : null;
  }

  /** Offset of the host's clock from this one at a time of this one; null: it was never measured. */
  offset(host: string, time: bigint): ClockOffset | null {
    return this.#options.clocks.offset(host, time);
  }

  /** Measures the clock of a host now. Never rejects. */
  async refineClock(host: string): Promise<void> {
    await this.#options.clocks.refine(host);
  }

  /** Tells each host what it is to keep, if that has changed. */
  configure(): void {
    this.#options.clocks.need("flight", this.#options.settings() !== null);
    this.#hostCount = this.#options.hosts.size;
    for (const host of this.ready) this.#configure(host);
  }

  /** Asks a host for a part. Rejects as requests to hosts do. */
  async keep(host: string, incident: string, range: { from: bigint; until: bigint }): Promise<void> {
    const offset = this.offset(host, this.#options.now())?.offset ?? 0n;
    const onItsClock = (time: bigint) => String(time + offset < 0n ? 0n : time + offset);
    const [from, until] = [onItsClock(range.from), onItsClock(range.until)];
    const session = this.#require(host);
    await session.command((id) => session.link.request("flight_keep", { session: id, incident, cause: null, from, until }));
  }

  /** Deletes a part, if the host is connected: one that is away reports the part again when it is back. */
  deletePart(host: string, incident: string): void {
    const session = this.session(host);
    session?.command((id) => session.link.request("flight_delete", { session: id, incident })).catch(() => undefined);
  }

  note(kind: NoteKind, value: unknown): void {
    this.#notes.add(kind, value);
  }

  close(): void {
    this.#unsubscribe();
    this.#notes.close();
    this.#hosts.close();
    this.#options.clocks.need("flight", false);
  }

  #require(host: string): HostSession {
    const session = this.session(host);
    if (session === null) throw new MgrError("host_unavailable", `host '${host}' is not connected`);
    return session;
  }

  #begin(host: string, flight: HostFlight): void {
    this.#told.delete(host);
    flight.begin();
    // Another number of hosts changes the default of all.
    if (this.#hostCount === this.#options.hosts.size) this.#configure(host);
    else this.configure();
    this.#options.changed();
  }

  #configure(host: string): void {
    const { settings, hosts, log } = this.#options;
    const session = this.session(host);
    if (session === null) return;
    const spec = flightSpec(settings(), hosts.size);
    const text = JSON.stringify(spec);
    if (this.#told.get(host) === text) return;
    this.#told.set(host, text);
    session
      .command((id) => session.link.request("flight_configure", { session: id, spec }))
      .catch((error: unknown) => {
        // A host that was lost is configured again when it is back; one that never had a flight recorder needs none switched off.
        if (session.isOpen && settings() !== null) log.warn(`the flight recorder of host '${host}' is not configured: ${messageOf(error)}`);
      });
  }

  #send(notes: FlightNote[]): void {
    const session = this.session(this.#options.localHost);
    session?.command((id) => session.link.request("flight_notes", { session: id, notes })).catch(() => undefined);
  }
}
