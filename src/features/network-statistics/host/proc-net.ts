import type { NetworkRowOf } from "../contract.ts";

/** Parsers of the kernel's network files. Unknown lines are skipped: another kernel may have more of them. */

export type InterfaceCounters = Omit<NetworkRowOf<"interface">, "kind" | "index" | "up" | "speed_bits_s" | "addresses">;

/** `/proc/net/dev`: a line for each interface, 8 counters of what it received and 8 of what it sent. */
export function parseInterfaces(text: string): InterfaceCounters[] {
  return text.split("\n").flatMap((line) => {
    // The name may hold colons (`eth0:1`), the numbers none.
    const end = line.lastIndexOf(":");
    const numbers = line
      .slice(end + 1)
      .trim()
      .split(/\s+/)
      .map(Number);
    if (end < 0 || numbers.length < 16 || !numbers.every(Number.isFinite)) return [];
    const [rx_bytes = 0, rx_packets = 0, rx_errors = 0, rx_drops = 0] = numbers;
    const [tx_bytes = 0, tx_packets = 0, tx_errors = 0, tx_drops = 0] = numbers.slice(8);
    const name = line.slice(0, end).trim();
    return [{ name, rx_bytes, tx_bytes, rx_packets, tx_packets, rx_errors, tx_errors, rx_drops, tx_drops }];
  });
}

/** The lines of `/proc/net/snmp` or `snmp6` about UDP: datagrams that could not be delivered, and those that found a full buffer. */
export function parseUdpErrors(snmp: string, snmp6: string): { receive_errors: number; buffer_errors: number } {
  const [names = [], values = []] = snmp
    .split("\n")
    .filter((line) => line.startsWith("Udp:"))
    .map((line) => line.split(/\s+/));
  const of4 = (name: string) => Number(values[names.indexOf(name)] ?? 0);
  const of6 = (name: string) => Number(new RegExp(`^Udp6${name}\\s+(\\d+)`, "m").exec(snmp6)?.[1] ?? 0);
  const sum = (name: string) => of4(name) + of6(name);
  return { receive_errors: sum("InErrors"), buffer_errors: sum("RcvbufErrors") };
}

/** The last column of `/proc/net/udp` and `udp6`: datagrams that a socket lost. */
export function parseUdpDrops(text: string): number {
  return text
    .trimEnd()
    .split("\n")
    .slice(1)
    .reduce((sum, line) => sum + (Number(/(\d+)\s*$/.exec(line)?.[1]) || 0), 0);
}
