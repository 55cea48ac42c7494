import type { Duplex } from "node:stream";
import type { HostRequests } from "../../actors/control.ts";
import { MgrError } from "../../base/errors.ts";
import type { Clock } from "../../base/timing/clock.ts";
import type { HostSession } from "./host-session.ts";
import type { HostTable } from "./host-table.ts";
import type { Hosts } from "./hosts.ts";
import { type Loads, ProcessLoads } from "./process-loads.ts";

interface NamedHostsOptions {
  hosts: Hosts;
  table: HostTable;
  clock: Clock;
}

/** Finds hosts by any of their names. */
export class NamedHosts implements HostRequests {
  readonly #options: NamedHostsOptions;
  readonly #loads: ProcessLoads;

  constructor(options: NamedHostsOptions) {
    this.#options = options;
    this.#loads = new ProcessLoads(options);
  }

  loads(): Promise<Loads> {
    return this.#loads.now();
  }

  async openTcp(host: string, target: { host: string; port: number }): Promise<Duplex> {
    return this.session(host).connect(target);
  }

  /** The session with a host. Throws `not_found`, and `host_unavailable` while its daemon is not connected. */
  session(host: string): HostSession {
    const name = this.canonical(host);
    const session = this.#options.table.session(name);
    if (session?.isOpen) return session;
    throw new MgrError(
      "host_unavailable",
      `the daemon of host '${name}' cannot be reached; try again when it is connected (\`mgr hosts\`)`,
    );
  }

  /** The canonical name of a host. Throws `not_found`. */
  canonical(host: string): string {
    const entry = this.#options.hosts.entries().find(({ all_names }) => all_names.includes(host));
    if (entry === undefined) throw new MgrError("not_found", `there is no host '${host}'`);
    return entry.name;
  }
}
