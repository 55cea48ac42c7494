import type { Duplex } from "node:stream";
import type { DomainEvents } from "../../../actors/domain-events.ts";
import { HostParts } from "../../../app/hosts/host-parts.ts";
import type { HostSession } from "../../../app/hosts/host-session.ts";
import type { HostTable } from "../../../app/hosts/host-table.ts";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { ThrottledWarning } from "../../../base/throttled-warning.ts";
import type { LogBook } from "../../../log/log-book.ts";
import { type X11Waiting, x11TargetText } from "../contract.ts";
import { tunnelX11 } from "../host/tunnel.ts";
import { readXDisplay, type XDisplay } from "./x-display.ts";
import type { X11Targets } from "./x11-targets.ts";

interface X11TunnelsOptions {
  readonly hosts: HostTable;
  readonly events: DomainEvents;
  readonly log: LogBook;
  readonly targets: X11Targets;
}

/** Connects each X client that a host announces with the X display of its run. */
export class X11Tunnels {
  readonly #options: X11TunnelsOptions;
  readonly #parts: HostParts<{ session: HostSession; close(): void }>;
  /** Connections that are being accepted: their host announces them again until it receives the answer. */
  readonly #accepting = new Set<string>();
  readonly #failed: ThrottledWarning;

  constructor(options: X11TunnelsOptions) {
    this.#options = options;
    const { hosts, events, log } = options;
    this.#failed = new ThrottledWarning((level, msg, about) => log.append({ level, source: "manager", msg, ...(about ? { about } : {}) }));
    this.#parts = new HostParts({
      hosts,
      events,
      make: (host, session) => ({
        session,
        close: session.link.listen({ onNews: { x11: (waiting) => void this.#connect(host, session, waiting) } }),
      }),
      begin: () => {},
      removed: () => {},
    });
  }

  close(): void {
    this.#parts.close();
  }

  async #connect(host: string, session: HostSession, waiting: X11Waiting): Promise<void> {
    const { connection, name } = waiting;
    const display = this.#displayOf(host, waiting);
    // The run is not known yet, or no longer: the host repeats the announcement, and then gives up.
    if (display === null || this.#accepting.has(connection)) return;
    this.#accepting.add(connection);
    try {
      const client = await acceptClient(session, waiting);
      await tunnelX11(client, () => this.#options.targets.connect(display, name));
    } catch (error) {
      if (error instanceof MgrError && error.code === "not_found") return;
      this.#failed.warn(`process '${name}': an X client could not be connected with display '${display.display}': ${messageOf(error)}`, [
        name,
      ]);
    } finally {
      this.#accepting.delete(connection);
    }
  }

  /** The X display of the run, as it was selected at its start, perhaps by an earlier manager. */
  #displayOf(host: string, { run_id, name }: X11Waiting): XDisplay | null {
    const run = this.#options.hosts.controller(host)?.lastReport(name);
    return run?.run_id === run_id && run.exit === null ? readXDisplay(run.memo) : null;
  }
}

/** Accepts an X client that waits at the host; its setup packet is still to be read. */
async function acceptClient(session: HostSession, { connection, name }: X11Waiting): Promise<Duplex> {
  const ask = (id: string, stream: string) => session.link.request("x11_accept", { session: id, stream, connection });
  return (await session.carry(x11TargetText(name), ask)).end;
}
