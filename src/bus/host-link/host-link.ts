import type { z } from "zod";
import type { WarningLog } from "../../base/throttled-warning.ts";
import { ThrottledWarning } from "../../base/throttled-warning.ts";
import type { HostLink, HostListener } from "../../contract/host-link.ts";
import {
  HOST_REQUESTS,
  type HostNews,
  type HostRequestName,
  hostEvent,
  hostHeartbeat,
  hostLog,
  type OutputWindows,
  type RequestOf,
  type ResponseOf,
} from "../../contract/messages.ts";
import type { StreamFrame } from "../../contract/streams.ts";
import { hostSubject } from "../../contract/subjects.ts";
import { HOST_NEWS } from "../../features/contract.ts";
import type { BusMessage, BusSubscription, HostBus } from "../broker/bus-message.ts";
import { callProcedure } from "../client/rpc.ts";
import { jsonOf } from "../client/rpc-envelope.ts";
import { decodeStreamFrame, encodeStreamFrame } from "../streams/stream-codec.ts";
import { decodeChunk } from "./output-codec.ts";

export { serveHost } from "./serve-host.ts";

export interface BusHostLinkOptions {
  /** Time-out of one request, milliseconds. */
  readonly timeoutMs?: number;
  readonly log?: WarningLog;
}

/**
 * Time-out of one request, milliseconds: longer than a busy host needs to start a thousand processes at once (1.3 s), and short enough for
 * a person who waits.
 */
const REQUEST_TIMEOUT_MS = 10_000;

/** The manager's end of the link to `host`. It does not own the bus connection: closing the link leaves the connection open. */
export function busHostLink(bus: HostBus, host: string, options: BusHostLinkOptions = {}): HostLink {
  return new BusHostLink(bus, host, options);
}

class BusHostLink implements HostLink {
  readonly host: string;
  readonly #bus: HostBus;
  readonly #timeoutMs: number;
  readonly #listeners = new Set<HostListener>();
  readonly #subscriptions: BusSubscription[];
  /** Subjects by their last part. */
  readonly #subjects = new Map<string, string>();
  readonly #log: WarningLog;
  readonly #malformed: ThrottledWarning;
  readonly #unsent: ThrottledWarning;

  constructor(bus: HostBus, host: string, options: BusHostLinkOptions) {
    this.host = host;
    this.#bus = bus;
    this.#timeoutMs = options.timeoutMs ?? REQUEST_TIMEOUT_MS;
    this.#log = options.log ?? (() => {});
    this.#malformed = new ThrottledWarning(this.#log);
    this.#unsent = new ThrottledWarning(this.#log);
    this.#subscriptions = [
      this.#receive("event", jsonBy(hostEvent), (to, event) => to.onEvent?.(event)),
      this.#receive("heartbeat", repeatedJsonBy(hostHeartbeat), (to, heartbeat) => to.onHeartbeat?.(heartbeat)),
      ...(Object.keys(HOST_NEWS) as (keyof HostNews)[]).map((name) => this.#receiveNews(name)),
      this.#receive("log", jsonBy(hostLog), (to, entry) => to.onLog?.(entry)),
      this.#receive(
        "output",
        ({ data }) => decodeChunk(data),
        (to, chunk) => to.onOutput?.(chunk),
      ),
      this.#receive(
        "stream",
        ({ data }) => decodeStreamFrame(data),
        (to, frame) => to.onStream?.(frame),
      ),
    ];
  }

  request<N extends HostRequestName>(name: N, request: RequestOf<N>): Promise<ResponseOf<N>> {
    // A union type over all names does not pair requests with responses; HOST_REQUESTS does.
    const response = HOST_REQUESTS[name].response as unknown as z.ZodType<ResponseOf<N>>;
    return callProcedure(this.#bus, this.#subject(`do.${name}`), response, { request, timeoutMs: this.#timeoutMs });
  }

  window(windows: OutputWindows): void {
    this.#send("window", windows);
  }

  heartbeat(session: string): void {
    this.#send("alive", { session });
  }

  stream(frame: StreamFrame): void {
    this.#bus.publish(hostSubject(this.host, "to_stream"), encodeStreamFrame(frame));
  }

  listen(listener: HostListener): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }

  async close(): Promise<void> {
    this.#listeners.clear();
    for (const subscription of this.#subscriptions.splice(0)) subscription.unsubscribe();
  }

  #subject(leaf: string): string {
    const known = this.#subjects.get(leaf) ?? hostSubject(this.host, leaf);
    this.#subjects.set(leaf, known);
    return known;
  }

  /** Sends a message that the caller repeats, so that a lost connection is not an error. */
  #send(leaf: string, body: object): void {
    try {
      this.#bus.publish(this.#subject(leaf), JSON.stringify(body));
    } catch (error) {
      this.#unsent.warn(`'${leaf}' for host '${this.host}' was not sent: ${String(error)}`);
    }
  }

  #receiveNews<K extends keyof HostNews>(name: K): BusSubscription {
    // A cast, as for the responses of requests.
    const schema = HOST_NEWS[name] as unknown as z.ZodType<HostNews[K]>;
    return this.#receive(name, jsonBy(schema), (to, news) => to.onNews?.[name]?.(news));
  }

  /** `pass` is called for each listener. */
  #receive<T>(leaf: string, decode: (message: BusMessage) => T | null, pass: (to: HostListener, value: T) => void): BusSubscription {
    return this.#bus.subscribe(hostSubject(this.host, leaf), (message) => {
      const value = decode(message);
      if (value === null) this.#malformed.warn(`a malformed '${leaf}' of host '${this.host}' was dropped`);
      else for (const listener of this.#listeners) pass(listener, value);
    });
  }
}

function jsonBy<T>(schema: z.ZodType<T>): (message: BusMessage) => T | null {
  return ({ data }) => schema.safeParse(jsonOf(data)).data ?? null;
}

/** As `jsonBy`, for messages that are repeated most of the time: one that has the same bytes as the one before has the same value. */
function repeatedJsonBy<T>(schema: z.ZodType<T>): (message: BusMessage) => T | null {
  const decode = jsonBy(schema);
  let bytes: Buffer | null = null;
  let value: T | null = null;
  return (message) => {
    if (bytes?.equals(message.data)) return value;
    value = decode(message);
    bytes = Buffer.from(message.data);
    return value;
  };
}
