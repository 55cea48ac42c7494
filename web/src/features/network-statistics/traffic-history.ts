import type { NetworkStats } from "../../../../src/features/network-statistics/wire.ts";
import { linkKey, portKey } from "./traffic-rows.ts";

/** Maximum number of values of a sparkline. */
const MAX_VALUES = 60;

/** Bytes per second in the last measurements of each link and interface, the newest last. */
export class TrafficHistory {
  readonly #values = new Map<string, number[]>();

  /** Adds a measurement; forgets links that no longer exist. */
  add({ links, interfaces }: Pick<NetworkStats, "links" | "interfaces">): void {
    const known = new Set<string>();
    const push = (key: string, value: number) => {
      known.add(key);
      const values = this.#values.get(key) ?? [];
      values.push(value);
      if (values.length > MAX_VALUES) values.shift();
      this.#values.set(key, values);
    };
    for (const link of links) push(linkKey(link), link.bytes_s);
    for (const port of interfaces) push(portKey(port), port.rx_bytes_s + port.tx_bytes_s);
    for (const key of this.#values.keys()) if (!known.has(key)) this.#values.delete(key);
  }

  of(key: string): readonly number[] {
    return this.#values.get(key) ?? [];
  }
}
