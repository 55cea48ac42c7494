import type { Clock } from "../../../base/timing/clock.ts";
import type { Broker } from "../../../bus/broker/broker.ts";
import { readableText } from "../../../bus/broker/broker-protocol.ts";
import { dialedSockets } from "../../../bus/carriers/dialed-sockets.ts";
import type { TargetCounts } from "../../../bus/streams/target-counts.ts";
import type { RequestOf, ResponseOf } from "../../../contract/messages.ts";
import type { HostBus } from "../../../daemon/bus/host-bus.ts";
import type { ListBuilder } from "../../../daemon/lists/list-builder.ts";
import { tcpInfo } from "../../../daemon/native/tcp-info.ts";
import type { NetworkRow, NetworkRowOf } from "../contract.ts";
import { topicRows } from "../topic-rows.ts";
import { readNetwork } from "./interfaces.ts";
import { type ProcessNames, readTcpConnections } from "./tcp-connections.ts";

interface NetworkReportOptions {
  readonly clock: Clock;
  readonly lists: Pick<ListBuilder, "pages">;
  /** The host's broker; null: there is none. */
  readonly bus: Pick<HostBus, "broker"> | null;
  /** Connections that the host makes for the manager. */
  readonly forwards: TargetCounts;
  readonly processNames: () => ProcessNames;
}

/** Subjects that belong to no service: topics, and subjects of this program and of the bus itself. */
const INTERNAL = /^(topic|mgr|\$SRV|\$SYS|\$LDS|_INBOX|>)(\.|$)/;

/** Maximum number of owners that are reported. */
const MAX_FREED = 10;

/** Network counters of a host. They are read on request only. */
export class NetworkReport {
  readonly #options: NetworkReportOptions;

  constructor(options: NetworkReportOptions) {
    this.#options = options;
  }

  list({ interfaces }: Pick<RequestOf<"network">, "interfaces">): ResponseOf<"network"> {
    const time = this.#options.clock.monotonic();
    const rows = [...this.#messages(), ...(interfaces ? [...this.#connections(), ...readNetwork()] : [])];
    return { time, ...this.#options.lists.pages.of(rows) };
  }

  async tcpConnections(): Promise<ResponseOf<"tcp_connections">> {
    return this.#options.lists.pages.of(await readTcpConnections(this.#options.processNames()));
  }

  *#connections(): Generator<NetworkRow> {
    for (const socket of dialedSockets) {
      const info = tcpInfo(socket);
      if (info === null) continue;
      const local = `${socket.localAddress}:${socket.localPort}`;
      // The manager itself counts the segments that it has received.
      const { data_segments_delivered: _delivered, ...counts } = info;
      const { bytesWritten: written, bytesRead: read } = socket;
      yield { kind: "link_socket", local, peer: `${socket.remoteAddress}:${socket.remotePort}`, ...counts, written, read };
    }
    for (const { target, written, received } of this.#options.forwards.totals()) yield { kind: "forward", target, sent: written, received };
    for (const { name, out_bytes: sent, in_bytes: received } of this.#options.bus?.broker.crossings().links ?? [])
      yield { kind: "link", name, sent, received };
  }

  *#messages(): Generator<NetworkRow> {
    const { bus } = this.#options;
    if (bus === null) return;
    const { subjects, waiting, answers } = bus.broker.crossings();
    yield brokerRow(bus.broker);
    yield* topicRows({ subjects, waiting });
    for (const [subject, { arrived, crossing }] of subjects) {
      if (INTERNAL.test(subject)) continue;
      if (arrived.msgs > 0) yield { kind: "arrived", subject: readableText(subject), ...arrived };
      if (crossing.msgs > 0) yield { kind: "crossing", subject: readableText(subject), ...crossing };
    }
    for (const [subject, { given, received }] of answers) {
      if (given.msgs > 0) yield { kind: "answered", subject: readableText(subject), ...given };
      if (received.msgs > 0) yield { kind: "answers", subject: readableText(subject), ...received };
    }
  }
}

function brokerRow(broker: Broker): NetworkRowOf<"broker"> {
  const { links, dropped_msgs, dropped_bytes } = broker.stats();
  const { used, limit, losses } = broker.memory;
  const sum = (field: "dropped_msgs" | "missed_msgs" | "missed_in_msgs" | "lost_out_msgs" | "unconfirmed_msgs") =>
    links.reduce((total, link) => total + link[field], 0);
  return {
    kind: "broker",
    dropped_msgs,
    dropped_bytes,
    link_dropped_msgs: sum("dropped_msgs"),
    missed_msgs: sum("missed_msgs") + sum("missed_in_msgs"),
    lost_msgs: sum("lost_out_msgs") + sum("unconfirmed_msgs"),
    memory_bytes: used,
    memory_limit: limit,
    freed: losses
      .toSorted((a, b) => b.pieces - a.pieces)
      .slice(0, MAX_FREED)
      .map(({ owner, pieces }) => ({ owner, messages: pieces })),
  };
}
