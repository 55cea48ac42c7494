import { createInbox, type MsgHdrs, type NatsConnection } from "@nats-io/nats-core";
import { MgrError, messageOf } from "../../base/errors.ts";
import type { WarningLog } from "../../base/throttled-warning.ts";
import type { BusMessage, BusSubscription, HostBus } from "../broker/bus-message.ts";
import { type SubjectTraffic, TrafficCounters } from "../broker/traffic-counters.ts";
import type { NatsTransport } from "./nats-transport.ts";
import { Requests } from "./requests.ts";

/** Maximum number of unsent bytes of a connection; beyond it, `publish` refuses more (docs/design/runtime-invariants.md, "Bus"). */
export const MAX_UNSENT_BYTES = 8 * 1024 * 1024;

/**
 * A connection to the bus. This program publishes only through this class: the library ignores back-pressure and silently drops messages
 * while it is not connected; here both are errors.
 */
export class Bus implements HostBus {
  readonly name: string;
  /** The library's connection, for functions that this class lacks. Do not publish with it. */
  readonly connection: NatsConnection;
  readonly #transport: () => NatsTransport | null;
  readonly #log: WarningLog;
  readonly #requests = new Requests();
  readonly #listeners = new Set<(isConnected: boolean) => void>();
  readonly #drained = new Set<() => void>();
  readonly #traffic = new TrafficCounters();
  /** Subjects of all subscriptions, with repetitions. */
  readonly #subscribed = new Map<object, string>();
  #isUp = true;

  constructor(connection: NatsConnection, options: { name: string; transport: () => NatsTransport | null; log: WarningLog }) {
    this.name = options.name;
    this.connection = connection;
    this.#transport = options.transport;
    this.#log = options.log;
    this.subscribe(`${this.#requests.prefix}*`, (message) => this.#requests.receive(message));
    void this.#followStatus();
  }

  get isConnected(): boolean {
    return this.#isUp && this.#transport()?.isClosed === false;
  }

  /** Number of published bytes that the carrier has not accepted yet. */
  get unsent(): number {
    return this.#transport()?.unsent ?? 0;
  }

  /**
   * Publishes a message. Throws `busy` above MAX_UNSENT_BYTES, `host_unavailable` while not connected, `too_large` for a message beyond the
   * broker's limit. Messages are delivered in order, at most once.
   */
  publish(subject: string, data: Uint8Array | string, options: { reply?: string; headers?: MsgHdrs } = {}): void {
    this.#checkRoom(subject, data.length);
    this.connection.publish(subject, data, options);
    this.#traffic.sent(subject, data.length);
  }

  /**
   * As `publish`, for large data in several pieces, which the library would copy twice. The pieces must not be modified afterwards. Sent at
   * once, so it may overtake messages published before in this turn.
   */
  publishBulk(subject: string, pieces: readonly Uint8Array[]): void {
    this.#checkRoom(
      subject,
      pieces.reduce((sum, { length }) => sum + length, 0),
    );
    this.#transport()?.publish(subject, pieces);
  }

  /** Calls back in the order of arrival. A callback that throws is logged and does not affect other subscribers. */
  subscribe(subject: string, callback: (message: BusMessage) => void, options: { queue?: string } = {}): BusSubscription {
    const subscription = this.connection.subscribe(subject, {
      ...options,
      callback: (error, message) => {
        if (error) {
          this.#log("error", `the bus refused the subscription to ${subject}: ${error.message}`);
          return;
        }
        this.#traffic.received(message.subject, message.data.length);
        try {
          callback(message);
        } catch (cause) {
          // An exception would end the library's reader and the whole connection.
          this.#log("error", `a defect in the receiver of ${message.subject}: ${messageOf(cause)}`);
        }
      },
    });
    if (!subject.startsWith("_INBOX.")) this.#subscribed.set(subscription, subject);
    return {
      unsubscribe: () => {
        this.#subscribed.delete(subscription);
        subscription.unsubscribe();
      },
    };
  }

  /** Subscriptions and traffic of this connection since it was created. */
  report(): { name: string; subscriptions: string[]; subjects: Record<string, SubjectTraffic> } {
    return { name: this.name, subscriptions: [...this.#subscribed.values()], subjects: this.#traffic.report() };
  }

  /** An unguessable subject for answers to this connection. */
  inbox(): string {
    return createInbox();
  }

  /** Publishes at once. Rejects with the errors of `publish`, `timeout`, or `host_unavailable` (no responders, link lost). */
  request(subject: string, data: Uint8Array | string, options: { timeoutMs: number }): Promise<BusMessage> {
    return this.#requests.send(subject, options.timeoutMs, (reply) => this.publish(subject, data, { reply }));
  }

  /** Calls `listener` after each loss (false), and after each reconnect (true) once the subscriptions are restored. */
  onConnection(listener: (isConnected: boolean) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  /** Called whenever the carrier has accepted everything after a backlog. */
  onDrained(listener: () => void): () => void {
    this.#drained.add(listener);
    return () => this.#drained.delete(listener);
  }

  /** Called by the carrier. */
  notifyDrained(): void {
    for (const listener of this.#drained) listener();
  }

  /** Resolves when the broker has processed everything that was published before. */
  flush(): Promise<void> {
    return this.connection.flush();
  }

  async close(): Promise<void> {
    this.#isUp = false;
    this.#requests.failAll("the bus connection was closed");
    this.#listeners.clear();
    await this.connection.close();
  }

  #checkRoom(subject: string, size: number): void {
    if (!this.isConnected) throw new MgrError("host_unavailable", `the bus connection '${this.name}' is down; ${subject} was not sent`);
    const { unsent } = this;
    if (unsent > MAX_UNSENT_BYTES) {
      throw new MgrError("busy", `the bus connection '${this.name}' has ${unsent} bytes unsent; ${subject} was not sent, try again later`);
    }
    const limit = this.connection.info?.max_payload ?? Number.POSITIVE_INFINITY;
    if (size > limit) throw new MgrError("too_large", `a message of ${size} bytes to ${subject} is over the bus limit of ${limit}`);
  }

  async #followStatus(): Promise<void> {
    for await (const status of this.connection.status()) {
      if (status.type === "disconnect") this.#changed(false);
      else if (status.type === "reconnect") this.#changed(true);
    }
  }

  #changed(isConnected: boolean): void {
    if (this.#isUp === isConnected || this.connection.isClosed()) return;
    this.#isUp = isConnected;
    if (!isConnected) this.#requests.failAll("the bus connection was lost");
    for (const listener of this.#listeners) listener(isConnected);
  }
}
