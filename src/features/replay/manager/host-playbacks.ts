import type { HostSession } from "../../../app/hosts/host-session.ts";
import { NamedRows } from "../../../app/hosts/named-rows.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import { type HostPlayback, hostPlayback, type PlaybackEvent } from "../contract.ts";

interface HostPlaybacksOptions {
  readonly session: HostSession;
  readonly clock: Clock;
  /** Ids of the plays that the manager has of this host from an earlier session. */
  readonly known: Iterable<string>;
  /** Called with each play that has changed; null: the host has forgotten it. */
  readonly changed: (id: string, playback: HostPlayback | null) => void;
}

/** The plays of one host, as it reports them. */
export class HostPlaybacks {
  readonly session: HostSession;
  readonly #rows: NamedRows<PlaybackEvent, HostPlayback>;
  readonly #unsubscribe: () => void;

  constructor({ session, clock, known, changed }: HostPlaybacksOptions) {
    this.session = session;
    this.#rows = new NamedRows({
      session,
      clock,
      known,
      requestTable: (request) => session.link.request("playbacks", request),
      rows: hostPlayback.array(),
      rowOf: ({ playback }) => playback,
      changed,
    });
    this.#unsubscribe = session.link.listen({
      onNews: { playback: (event) => this.#rows.receive(event) },
      onHeartbeat: (heartbeat) => this.#rows.compare(heartbeat, heartbeat.playback_seq),
    });
  }

  /** Called when the host is ready. */
  begin(): void {
    this.#rows.begin();
  }

  close(): void {
    this.#unsubscribe();
    this.#rows.close();
  }
}
