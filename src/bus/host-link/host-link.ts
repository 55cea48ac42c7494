import type { z } from "zod";
import type { WarningLog } from "../../base/throttled-warning.ts";
import { ThrottledWarning } from "../../base/throttled-warning.ts";
import type { HostLink, HostListener } from "../../contract/host-link.ts";
import {
  HOST_REQUESTS,
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
import { dataPlaneEvent } from "../../features/data-plane/contract.ts";
import { x11Waiting } from "../../features/displays/contract.ts";
import { recordingEvent } from "../../features/recordings/contract.ts";
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

/** Longer than a busy host needs to start a thousand processes at once (1.3 s), and short enough for a person who waits. */
const REQUEST_TIMEOUT_MS = 10_000;

/** The manager's end of the link to `host`. It does not own the bus connection: closing it leaves that open. */
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
      this.#receive("event", (message) => this.#parse(message, hostEvent), "onEvent"),
      this.#receive("heartbeat", (message) => this.#parse(message, hostHeartbeat), "onHeartbeat"),
      this.#receive("data_plane", (message) => this.#parse(message, dataPlaneEvent), "onDataPlane"),
      this.#receive("recording", (message) => this.#parse(message, recordingEvent), "onRecording"),
      this.#receive("x11", (message) => this.#parse(message, x11Waiting), "onX11"),
      this.#receive("log", (message) => this.#parse(message, hostLog), "onLog"),
      this.#receive("output", (message) => decodeChunk(message.data), "onOutput"),
      this.#receive("stream", (message) => decodeStreamFrame(message.data), "onStream"),
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

  /** The caller repeats both messages, so a connection that is lost at the moment is not an error. */
  #send(leaf: string, body: object): void {
    try {
      this.#bus.publish(this.#subject(leaf), JSON.stringify(body));
    } catch (error) {
      this.#unsent.warn(`'${leaf}' for host '${this.host}' was not sent: ${String(error)}`);
    }
  }

  #receive<K extends keyof HostListener>(
    leaf: string,
    decode: (message: BusMessage) => Parameters<NonNullable<HostListener[K]>>[0] | null,
    method: K,
  ): BusSubscription {
    return this.#bus.subscribe(hostSubject(this.host, leaf), (message) => {
      const value = decode(message);
      if (value === null) this.#malformed.warn(`a malformed '${leaf}' of host '${this.host}' was dropped`);
      else for (const listener of this.#listeners) (listener[method] as ((value: unknown) => void) | undefined)?.call(listener, value);
    });
  }

  #parse<T>(message: BusMessage, schema: z.ZodType<T>): T | null {
    const parsed = schema.safeParse(jsonOf(message.data));
    return parsed.success ? parsed.data : null;
  }
}
