import type { HostSession } from "../../../app/hosts/host-session.ts";
import { TableReplica } from "../../../app/hosts/table-replica.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import { type FlightPart, type FlightPartEvent, flightPart } from "../contract.ts";

interface HostFlightOptions {
  readonly session: HostSession;
  readonly clock: Clock;
  readonly changed: (part: FlightPart) => void;
  /** All parts of the host were reported, after a hello or a gap. */
  readonly replaced: (parts: readonly FlightPart[]) => void;
}

/** The parts of incidents that one host has, as it reports them. */
export class HostFlight {
  readonly session: HostSession;
  readonly #table: TableReplica<FlightPartEvent, FlightPart>;
  readonly #unsubscribe: () => void;

  constructor({ session, clock, changed, replaced }: HostFlightOptions) {
    this.session = session;
    this.#table = new TableReplica({
      session,
      clock,
      requestTable: (request) => session.link.request("flight_parts", request),
      rows: flightPart.array(),
      // The manager is the one that has parts deleted.
      changed: ({ part }) => {
        if (part !== null) changed(part);
      },
      replaced,
    });
    this.#unsubscribe = session.link.listen({
      onNews: { flight_part: (event) => this.#table.receive(event) },
      onHeartbeat: (heartbeat) => this.#table.compare(heartbeat, heartbeat.flight_seq),
    });
  }

  /** Called when the host is ready. */
  begin(): void {
    this.#table.begin();
  }

  close(): void {
    this.#unsubscribe();
    this.#table.close();
  }
}
