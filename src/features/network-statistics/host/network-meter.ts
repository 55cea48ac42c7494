import type { Socket } from "node:net";
import { type Clock, everyBeat } from "../../../base/timing/clock.ts";
import type { TcpInfo } from "../../../bus/carriers/peer-traffic.ts";
import { kernelIncrease, perSecond } from "../increase.ts";
import type { InterfaceCounters } from "./proc-net.ts";

const PERIOD_MS = 1_000;
/** Maximum number of interfaces in a measurement, those with the most traffic: a machine with containers may have hundreds. */
const MAX_INTERFACES = 32;

/** Traffic of an interface, by the counters of the kernel. */
export interface InterfaceFigures {
  readonly interface: string;
  readonly rx_bytes_s: number;
  readonly tx_bytes_s: number;
  readonly rx_errors_s: number;
  readonly tx_errors_s: number;
  readonly rx_drops_s: number;
  readonly tx_drops_s: number;
}

/** The connections of the daemon to buses of other machines, together. */
export interface LinkFigures {
  /** Round-trip time of the slowest one, milliseconds. */
  readonly rtt_ms: number;
  /** Bytes that the other side has acknowledged, and bytes that were received. */
  readonly sent_bytes_s: number;
  readonly received_bytes_s: number;
  /** Segments that were sent again. */
  readonly retransmits_s: number;
}

export interface NetworkFigures {
  readonly interfaces: readonly InterfaceFigures[];
  /** Null: there is no such connection. */
  readonly link: LinkFigures | null;
}

interface NetworkMeterOptions {
  readonly clock: Clock;
  readonly readInterfaces: () => readonly InterfaceCounters[];
  readonly readSockets: () => ReadonlyMap<Socket, TcpInfo>;
}

interface Counters {
  /** By the monotonic clock, milliseconds. */
  readonly at: number;
  readonly interfaces: ReadonlyMap<string, InterfaceCounters>;
  readonly sockets: ReadonlyMap<Socket, TcpInfo>;
}

/** Measures the network once a second, as long as a feature of the host has subscribed. */
export class NetworkMeter {
  readonly #options: NetworkMeterOptions;
  readonly #subscribers = new Set<(figures: NetworkFigures) => void>();
  #last: Counters | null = null;
  #end: (() => void) | null = null;

  constructor(options: NetworkMeterOptions) {
    this.#options = options;
  }

  /** The returned function ends the subscription. */
  subscribe(measured: (figures: NetworkFigures) => void): () => void {
    this.#subscribers.add(measured);
    if (this.#end === null) {
      this.#last = this.#read();
      this.#end = everyBeat(PERIOD_MS, () => this.#measure(), this.#options.clock);
    }
    return () => {
      if (!this.#subscribers.delete(measured) || this.#subscribers.size > 0) return;
      this.#end?.();
      this.#end = null;
    };
  }

  #read(): Counters {
    const { clock, readInterfaces, readSockets } = this.#options;
    return {
      at: clock.monotonic(),
      interfaces: new Map(readInterfaces().map((each) => [each.name, each])),
      sockets: readSockets(),
    };
  }

  #measure(): void {
    const before = this.#last;
    const after = this.#read();
    this.#last = after;
    if (before === null) return;
    const figures = { interfaces: interfacesOf(before, after), link: linkOf(before, after) };
    for (const measured of this.#subscribers) measured(figures);
  }
}

function interfacesOf(before: Counters, after: Counters): InterfaceFigures[] {
  const all = [...after.interfaces].map(([name, counters]): InterfaceFigures => {
    const earlier = before.interfaces.get(name);
    const rate = (field: Exclude<keyof InterfaceCounters, "name">) =>
      perSecond(kernelIncrease(earlier?.[field] ?? 0, counters[field]), after.at - before.at);
    return {
      interface: name,
      rx_bytes_s: rate("rx_bytes"),
      tx_bytes_s: rate("tx_bytes"),
      rx_errors_s: rate("rx_errors"),
      tx_errors_s: rate("tx_errors"),
      rx_drops_s: rate("rx_drops"),
      tx_drops_s: rate("tx_drops"),
    };
  });
  if (all.length <= MAX_INTERFACES) return all;
  const traffic = ({ rx_bytes_s, tx_bytes_s }: InterfaceFigures) => rx_bytes_s + tx_bytes_s;
  return all.sort((a, b) => traffic(b) - traffic(a)).slice(0, MAX_INTERFACES);
}

function linkOf(before: Counters, after: Counters): LinkFigures | null {
  if (after.sockets.size === 0) return null;
  const rate = (field: "sent" | "received" | "retransmits") => {
    let increased = 0;
    for (const [socket, info] of after.sockets) increased += kernelIncrease(before.sockets.get(socket)?.[field] ?? 0, info[field]);
    return perSecond(increased, after.at - before.at);
  };
  return {
    rtt_ms: Math.max(...[...after.sockets.values()].map(({ rtt_us }) => rtt_us)) / 1_000,
    sent_bytes_s: rate("sent"),
    received_bytes_s: rate("received"),
    retransmits_s: rate("retransmits"),
  };
}
