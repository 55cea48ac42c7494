import { once } from "node:events";
import { connect } from "node:net";
import type { Duplex } from "node:stream";
import type { OwnCommand } from "../../../src/app/feature.ts";
import type { CommandOutcome } from "../../../src/base/command-observer.ts";
import { MgrError } from "../../../src/base/errors.ts";
import { systemClock } from "../../../src/base/timing/clock.ts";
import { forwardExtension } from "../../../src/features/forward/manager/index.ts";
import { ManagerForwards } from "../../../src/features/forward/manager/manager-forwards.ts";
import { WebPorts } from "../../../src/features/forward/manager/web/web-ports.ts";
import type { PortRange } from "../../../src/features/forward/port-ranges.ts";
import type { LogBook } from "../../../src/log/log-book.ts";

/** The host of the fake, with an alias. */
const HOST = "testhost";
const ALIAS = "bench";

/** The forwards of a manager whose host is this machine. */
export class FakeForwards {
  readonly service: ManagerForwards;
  readonly webPorts: WebPorts;
  readonly extension: ReturnType<typeof forwardExtension>;
  readonly observed: { command: OwnCommand; outcome: CommandOutcome | null }[] = [];
  /** Connections to the ports, the oldest first: their ends at the manager. */
  readonly streams: Duplex[] = [];
  /** Addresses to which connections were tried. */
  readonly tried: string[] = [];
  allowed = new Map<string, readonly PortRange[]>();

  constructor({ log }: { readonly log: LogBook }) {
    this.service = new ManagerForwards({
      clock: systemClock,
      hostName: HOST,
      log,
      named: {
        canonical: (host) => {
          if (host === HOST || host === ALIAS) return HOST;
          throw new MgrError("not_found", `there is no host '${host}'`);
        },
        openTcp: (_host, target) => this.#connect(target),
      },
      observe: async (command) => {
        const entry: { command: OwnCommand; outcome: CommandOutcome | null } = { command, outcome: null };
        this.observed.push(entry);
        return (outcome) => {
          entry.outcome = outcome;
        };
      },
      isReady: () => true,
      allowed: () => this.allowed,
    });
    this.webPorts = new WebPorts({
      clock: systemClock,
      forwards: this.service,
      hostEntries: () => [{ name: HOST, all_names: [HOST, ALIAS, "localhost"] }],
      allowedHosts: () => ["*.mgr.example"],
    });
    this.extension = forwardExtension(this.service, this.webPorts);
  }

  async #connect(target: { host: string; port: number }): Promise<Duplex> {
    this.tried.push(target.host);
    const socket = connect({ ...target, allowHalfOpen: true });
    await once(socket, "connect").catch((cause: unknown) => {
      throw new MgrError("conflict", `no program listens at ${target.host}:${target.port}`, { cause });
    });
    this.streams.push(socket);
    return socket;
  }
}
