import { perSecond } from "../increase.ts";
import type { NetworkInterface, NetworkStats } from "../wire.ts";
import { grown, type Span } from "./reading.ts";

type Udp = NetworkStats["udp"][number];

/** Counters of a host's kernel as rates per second. */
export interface HostRows {
  readonly interfaces: NetworkInterface[];
  readonly udp: Udp | null;
}

/** Rates of the interfaces that exist in both readings, and of UDP losses. `networkOf` returns the name of the network of an address. */
export function hostRows(host: string, { measured }: Span, networkOf: (cidr: string) => string | null): HostRows {
  const { before, after, milliseconds } = measured;
  const rate = (count: number) => perSecond(count, milliseconds);
  const interfaces = [...after.all("interface")].flatMap(({ name, index, up, speed_bits_s, addresses }): NetworkInterface[] => {
    // An interface that was removed and made again under its name is another one, which counts from 0.
    if (before.find("interface", name)?.index !== index) return [];
    const of = (field: Parameters<typeof grown<"interface">>[3]) => rate(grown(measured, "interface", name, field));
    return [
      {
        host,
        interface: name,
        network: addresses.map(networkOf).find((network) => network !== null) ?? null,
        rx_bytes_s: of("rx_bytes"),
        tx_bytes_s: of("tx_bytes"),
        rx_packets_s: of("rx_packets"),
        tx_packets_s: of("tx_packets"),
        rx_errors_s: of("rx_errors"),
        tx_errors_s: of("tx_errors"),
        rx_drops_s: of("rx_drops"),
        tx_drops_s: of("tx_drops"),
        speed_bits_s,
        up,
      },
    ];
  });
  const udp: Udp | null =
    before.find("udp", "") === undefined
      ? null
      : {
          host,
          receive_errors_s: rate(grown(measured, "udp", "", "receive_errors")),
          buffer_errors_s: rate(grown(measured, "udp", "", "buffer_errors")),
          drops_s: rate(dropsOf(measured)),
          age: 0,
        };
  return { interfaces, udp };
}

/** UDP drops: a sum over open sockets, which shrinks when one is closed and does not wrap. */
function dropsOf({ before, after }: Span["measured"]): number {
  return Math.max(0, (after.find("udp", "")?.drops ?? 0) - (before.find("udp", "")?.drops ?? 0));
}
