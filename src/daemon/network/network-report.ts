import type { Clock } from "../../base/clock.ts";
import { readableText } from "../../bus/broker/broker-protocol.ts";
import { topicRows } from "../../bus/broker/topic-rows.ts";
import { dialedSockets } from "../../bus/carriers/dialed-sockets.ts";
import type { TargetCounts } from "../../bus/streams/target-counts.ts";
import type { RequestOf, ResponseOf } from "../../contract/messages.ts";
import type { NetworkRow } from "../../contract/network.ts";
import type { HostBus } from "../bus/host-bus.ts";
import { tcpInfo } from "../native/tcp-info.ts";
import { ListPages } from "../session/list-pages.ts";
import { readNetwork } from "./interfaces.ts";
import { type ProcessNames, readTcpConnections } from "./tcp-connections.ts";

interface NetworkReportOptions {
  readonly clock: Clock;
  /** The host's broker; null: there is none. */
  readonly bus: Pick<HostBus, "broker"> | null;
  /** Connections that the host makes for the manager. */
  readonly forwards: TargetCounts;
  readonly processNames: () => ProcessNames;
}

/** Topics, and subjects of this program and of the bus itself: none of a service. */
const INTERNAL = /^(topic|mgr|\$SRV|\$SYS|\$LDS|_INBOX|>)(\.|$)/;

/** What a host has counted of its network. Nothing is read before it is asked for. */
export class NetworkReport {
  readonly #options: NetworkReportOptions;
  readonly #pages: ListPages;

  constructor(options: NetworkReportOptions) {
    this.#options = options;
    this.#pages = new ListPages(options.clock);
  }

  list({ interfaces }: Pick<RequestOf<"network">, "interfaces">): ResponseOf<"network"> {
    const time = this.#options.clock.monotonic();
    const rows = [...this.#messages(), ...(interfaces ? [...this.#connections(), ...readNetwork()] : [])];
    return { time, ...this.#firstPage(rows) };
  }

  async tcpConnections(): Promise<ResponseOf<"tcp_connections">> {
    return this.#firstPage(await readTcpConnections(this.#options.processNames()));
  }

  page(list: string, page: number): Uint8Array<ArrayBuffer> {
    return this.#pages.take(list, page);
  }

  close(): void {
    this.#pages.close();
  }

  /** Almost always there is one page only: it saves a question to have it at once. */
  #firstPage(values: Iterable<unknown>) {
    const made = this.#pages.of(values);
    return { ...made, data: this.#pages.take(made.list, 0) };
  }

  *#connections(): Generator<NetworkRow> {
    for (const socket of dialedSockets) {
      const info = tcpInfo(socket);
      if (info === null) continue;
      const local = `${socket.localAddress}:${socket.localPort}`;
      // The manager counts what it has received itself.
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
    const { subjects, answers } = bus.broker.crossings();
    yield* topicRows(subjects);
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
