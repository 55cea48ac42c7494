import { z } from "zod";
import { session } from "../../contract/fields.ts";
import { listPage } from "../../contract/pages.ts";

const count = z.number().min(0);

/** Number of messages, and of payload bytes. */
const messages = { msgs: count, bytes: count };

/** One row of a host's counters. Each counter starts at its own time, so only differences are meaningful. */
export const networkRow = z.discriminatedUnion("kind", [
  z.object({
    kind: z.literal("interface"),
    name: z.string(),
    /** The kernel's index. If it changes, this is another interface with the same name. */
    index: count,
    up: z.boolean(),
    speed_bits_s: count.nullable(),
    /** Addresses with the length of the netmask: `10.0.0.7/24`. */
    addresses: z.array(z.string()),
    rx_bytes: count,
    tx_bytes: count,
    rx_packets: count,
    tx_packets: count,
    rx_errors: count,
    tx_errors: count,
    rx_drops: count,
    tx_drops: count,
  }),
  z.object({
    kind: z.literal("udp"),
    receive_errors: count,
    buffer_errors: count,
    /** Datagrams that the currently open sockets dropped. */
    drops: count,
  }),
  /** Whether the host forwards packets between networks. */
  z.object({ kind: z.literal("forwarding"), on: z.boolean() }),
  /** A connection of the daemon to a bus. Bytes sent are those that the other side has acknowledged. */
  z.object({
    kind: z.literal("link_socket"),
    local: z.string(),
    peer: z.string(),
    sent: count,
    received: count,
    /** Bytes that the daemon wrote to the connection, and read from it. */
    written: count,
    read: count,
    data_segments_out: count,
    data_segments_in: count,
    retransmits: count,
    rtt_us: count,
  }),
  /** Bytes that the broker has sent to another one, and received from it: messages with their headers. */
  z.object({ kind: z.literal("link"), name: z.string(), sent: count, received: count }),
  /** Messages that the broker's own clients published on a topic, including clients that are gone. */
  z.object({ kind: z.literal("published"), subject: z.string(), ...messages }),
  /** Messages that other brokers sent, delivered to the broker's own subscribers. */
  z.object({ kind: z.literal("arrived"), subject: z.string(), ...messages }),
  /** Messages for other brokers on subjects that are not topics (requests of services), including those that the link dropped. */
  z.object({ kind: z.literal("crossing"), subject: z.string(), ...messages }),
  /** Answers to requests of a subject: given to requesters at other brokers (`answered`), and received from other brokers (`answers`). */
  z.object({ kind: z.literal("answered"), subject: z.string(), ...messages }),
  z.object({ kind: z.literal("answers"), subject: z.string(), ...messages }),
  /** Losses and memory of the host's broker. */
  z.object({
    kind: z.literal("broker"),
    /** Dropped for programs of the host that read too slowly, and on links to other brokers. */
    dropped_msgs: count,
    dropped_bytes: count,
    /** The part of these that links dropped. */
    link_dropped_msgs: count,
    /** Messages not sent or not received because a link was down (`missed_msgs`), and messages lost when it broke (`lost_msgs`). */
    missed_msgs: count,
    lost_msgs: count,
    /** Memory of queues, kept messages and loggers, bytes. */
    memory_bytes: count,
    memory_limit: count,
    /** Messages dropped because memory was used up, for the owners that lost most. */
    freed: z.array(z.object({ owner: z.string(), messages: count })),
  }),
  /** TCP connections that the host made for the manager: bytes from the target and to it. */
  z.object({ kind: z.literal("forward"), target: z.string(), sent: count, received: count }),
]);
export type NetworkRow = z.infer<typeof networkRow>;
export type NetworkRowOf<K extends NetworkRow["kind"]> = Extract<NetworkRow, { kind: K }>;

/** A page of rows. */
export const networkPage = z.array(networkRow);

/** A TCP connection of any program of the host. */
export const tcpRow = z.object({
  process: z.string().nullable(),
  pid: z.int().nullable(),
  program: z.string(),
  local: z.string(),
  peer: z.string(),
  bytes_sent: count,
  bytes_received: count,
  rtt_ms: count.nullable(),
  retransmits: count,
});
export type TcpRow = z.infer<typeof tcpRow>;
export const tcpPage = z.array(tcpRow);

export const NETWORK_REQUESTS = {
  /**
   * The host's network counters as of `time` (monotonic, milliseconds): a list of `networkPage`. `interfaces` adds counters of the kernel and
   * of forwards to those of the host's broker.
   */
  network: {
    request: z.object({ session, interfaces: z.boolean() }),
    response: z.object({ ...listPage, time: z.number() }),
  },
  /** TCP connections of all programs of the host: a list of `tcpPage`. */
  tcp_connections: { request: z.object({ session }), response: z.object(listPage) },
} as const;
