import type { NetworkStats } from "../wire.ts";
import { linkKey } from "./link-sum.ts";

type Measured = Pick<NetworkStats, "tcp_links" | "udp">;

interface Dated<T> {
  readonly at: number;
  readonly row: T;
}

/**
 * The last measured connections and datagrams of each managed host. Values of a lost host are kept, with their age.
 */
export class LastKnown {
  readonly #rows = {
    tcp_links: new Map<string, Dated<NetworkStats["tcp_links"][number]>>(),
    udp: new Map<string, Dated<NetworkStats["udp"][number]>>(),
  };

  /**
   * Stores the values measured now (`at`, milliseconds), and returns them with the kept values of hosts that could not be measured. `isManaged`: a
   * host of this manager; `isMeasured`: it took part.
   */
  with(now: Measured, at: number, isManaged: (host: string) => boolean, isMeasured: (host: string) => boolean): Measured {
    const ends = ({ from_host, to_host }: { from_host: string; to_host: string }) => [from_host, to_host];
    const merge = <T extends { age: number }>(
      known: Map<string, Dated<T>>,
      rows: readonly T[],
      key: (row: T) => string,
      hosts: (row: T) => string[],
    ): T[] => {
      for (const [name, { row }] of known) {
        // If all hosts of a row were measured, the row is replaced or gone.
        const isLost = hosts(row).some((host) => isManaged(host) && !isMeasured(host));
        if (!isLost) known.delete(name);
      }
      for (const row of rows) known.set(key(row), { at, row });
      return [...known.values()].map(({ at: then, row }) => (then === at ? row : { ...row, age: Math.round(at - then) / 1_000 }));
    };
    const { tcp_links, udp } = this.#rows;
    return {
      tcp_links: merge(tcp_links, now.tcp_links, (row) => linkKey(row.from_host, row.to_host), ends),
      udp: merge(
        udp,
        now.udp,
        ({ host }) => host,
        ({ host }) => [host],
      ),
    };
  }
}
