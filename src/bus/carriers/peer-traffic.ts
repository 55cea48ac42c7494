import type { Socket } from "node:net";

/** Kind and name of the traffic that a connection of the manager carries. */
export interface TrafficLabel {
  readonly kind: "web" | "mgr_remote" | "daemon" | "client";
  readonly name: string;
}

/** Traffic of one kind of connections with one peer so far. */
export interface PeerTraffic extends TrafficLabel {
  readonly peer: string;
  /** Bytes that this program has written and read. */
  written: number;
  read: number;
  /** Bytes that were acknowledged, and received, as counted by the kernel. */
  acknowledged: number;
  received: number;
  segments_out: number;
  /** Number of these that were acknowledged. */
  segments_delivered: number;
  segments_in: number;
  retransmits: number;
  /** Round-trip time of the slowest open connection, microseconds; null: none is open. */
  rtt_us: number | null;
}

/** The kernel's counters of a TCP connection (TCP_INFO). */
export interface TcpInfo {
  /** Bytes that the other side has acknowledged. */
  readonly sent: number;
  readonly received: number;
  readonly data_segments_out: number;
  /** Sent data segments that the other side has acknowledged. */
  readonly data_segments_delivered: number;
  readonly data_segments_in: number;
  /** Segments that were sent again. */
  readonly retransmits: number;
  readonly rtt_us: number;
}

interface Followed {
  peer: string;
  label: TrafficLabel;
  /** The traffic that was already counted under another label; null: none. */
  base: PeerTraffic | null;
  /** The last counters that were read: the kernel forgets a closed connection. */
  last: PeerTraffic;
}

/** Maximum number of accounts (peer and label); the oldest without a connection are removed first. */
const MAX_ACCOUNTS = 2_000;

/** Bytes of the manager's TCP connections, by peer and label. Counters are kept when a connection ends. */
export class PeerTrafficBook {
  readonly #kernel: (socket: Socket) => TcpInfo | null;
  readonly #open = new Map<Socket, Followed>();
  readonly #past = new Map<string, PeerTraffic>();

  /** `kernel` returns the kernel's counters of a socket; null: none. */
  constructor(kernel: (socket: Socket) => TcpInfo | null) {
    this.#kernel = kernel;
  }

  /** Counts a connection from now on. Call it again when its label changes. */
  follow(socket: Socket, label: TrafficLabel): void {
    const known = this.#open.get(socket);
    if (known !== undefined) {
      const now = this.#countsOf(socket, known);
      add(this.#account(this.#past, known), less(now, known.base));
      known.base = { ...now, rtt_us: null };
      known.label = label;
      return;
    }
    const peer = socket.remoteAddress?.replace(/^::ffff:(?=\d+\.)/i, "");
    if (peer === undefined) return;
    const followed: Followed = { peer, label, base: null, last: zero({ peer, label }) };
    this.#open.set(socket, followed);
    // Read once more while the kernel knows the connection.
    for (const event of ["end", "finish"]) socket.once(event, () => this.#countsOf(socket, followed));
    socket.once("close", () => {
      this.#open.delete(socket);
      const counts = withoutKernel(socket, followed.last);
      add(this.#account(this.#past, followed), less(counts, followed.base));
    });
  }

  /** The IP address from which open connections of this kind and name come; undefined: there are none. */
  addressOf({ kind, name }: TrafficLabel): string | undefined {
    for (const { peer, label } of this.#open.values()) if (label.kind === kind && label.name === name) return peer;
    return undefined;
  }

  totals(): PeerTraffic[] {
    const sums = new Map([...this.#past].map(([key, past]) => [key, { ...past }]));
    for (const [socket, followed] of this.#open) add(this.#account(sums, followed), less(this.#countsOf(socket, followed), followed.base));
    return [...sums.values()];
  }

  #countsOf(socket: Socket, followed: Followed): PeerTraffic {
    const info = this.#kernel(socket);
    followed.last =
      info === null
        ? withoutKernel(socket, followed.last)
        : {
            ...zero(followed),
            written: socket.bytesWritten,
            read: socket.bytesRead,
            acknowledged: info.sent,
            received: info.received,
            segments_out: info.data_segments_out,
            segments_delivered: info.data_segments_delivered,
            segments_in: info.data_segments_in,
            retransmits: info.retransmits,
            rtt_us: info.rtt_us,
          };
    return followed.last;
  }

  #account(accounts: Map<string, PeerTraffic>, { peer, label }: Followed): PeerTraffic {
    const key = `${peer} ${label.kind} ${label.name}`;
    const known = accounts.get(key);
    if (known) return known;
    for (const oldest of accounts.keys()) {
      if (accounts.size < MAX_ACCOUNTS) break;
      accounts.delete(oldest);
    }
    const account = zero({ peer, label });
    accounts.set(key, account);
    return account;
  }
}

/** All counters at zero. */
const NONE = {
  ...{ written: 0, read: 0, acknowledged: 0, received: 0 },
  ...{ segments_out: 0, segments_delivered: 0, segments_in: 0, retransmits: 0 },
};
const COUNTS = Object.keys(NONE) as (keyof typeof NONE)[];

function zero({ peer, label }: Pick<Followed, "peer" | "label">): PeerTraffic {
  return { peer, ...label, ...NONE, rtt_us: null };
}

/**
 * Counters of a connection that the kernel does not know (any more): written bytes have arrived, or nothing is known of them. The kernel
 * may have counted the end of the connection as a byte: no counter shrinks.
 */
function withoutKernel({ bytesWritten: written, bytesRead: read }: Socket, last: PeerTraffic): PeerTraffic {
  const [acknowledged, received] = [Math.max(written, last.acknowledged), Math.max(read, last.received)];
  return { ...last, written, read, acknowledged, received, rtt_us: null };
}

function less(counts: PeerTraffic, base: PeerTraffic | null): PeerTraffic {
  if (base === null) return counts;
  const rest = { ...counts };
  for (const key of COUNTS) rest[key] = Math.max(0, rest[key] - base[key]);
  return rest;
}

function add(sum: PeerTraffic, part: PeerTraffic): void {
  for (const key of COUNTS) sum[key] += part[key];
  if (part.rtt_us !== null) sum.rtt_us = Math.max(sum.rtt_us ?? 0, part.rtt_us);
}
