import { type Authenticator, credsAuthenticator, tokenAuthenticator } from "@nats-io/nats-core";
import { MgrError, messageOf } from "../../base/errors.ts";
import type { WarningLog } from "../../base/throttled-warning.ts";
import type { Broker } from "../broker/broker.ts";
import type { BrokerPermissions } from "../broker/permissions.ts";
import { busUrl, placeOf } from "../carriers/bus-url.ts";
import { dialNats, dialUnix, type TlsMaterial } from "../carriers/dial.ts";
import { assertSocketPath } from "../carriers/unix-listener.ts";
import { dialWebsocket } from "../carriers/websocket-stream.ts";
import { Bus } from "./bus.ts";
import { natsConnection } from "./nats-connection.ts";
import { type Dial, type NatsTransport, type NatsTransportOptions, PING_MS } from "./nats-transport.ts";

/** The address of a broker. If there are several, the next one is tried after each failure. */
export type BusServer =
  | { readonly kind: "memory"; readonly broker: Broker; readonly permissions?: BrokerPermissions }
  /** A function is called for each attempt, because the socket may move. */
  | { readonly kind: "unix"; readonly path: string | (() => string) }
  /** nats://, tls://, ws:// or wss://, with user and password, or a token, before an `@` if they are required. */
  | { readonly kind: "url"; readonly urls: readonly string[]; readonly tls?: TlsMaterial };

export interface ConnectBusOptions {
  readonly server: BusServer;
  /** Name shown in the broker's statistics and in errors. */
  readonly name: string;
  /** Whether to wait for the broker (the default); false: reject if the first attempt fails. */
  readonly waitForBroker?: boolean;
  /** Cancels waiting for the broker. */
  readonly signal?: AbortSignal;
  /** A function is called for each attempt, because tokens change. Over a WebSocket, the token is also sent as a Bearer token. */
  readonly token?: string | (() => string);
  readonly user?: string;
  readonly pass?: string;
  /** Content of a NATS credentials file (user JWT and seed), read for each attempt. */
  readonly credentials?: () => Uint8Array;
  /** Called after each attempt with null, or the reason of its failure, and the server's address. */
  readonly onAttempt?: (problem: string | null, place: string) => void;
  /**
   * Pauses between attempts grow up to this, milliseconds, so that many clients that lost the same server do not overload it. Default:
   * pauses do not grow.
   */
  readonly maxPauseMs?: number;
  readonly log?: WarningLog;
}

/** Pause between two attempts, and time for one attempt; milliseconds (docs/design/runtime-invariants.md, "Bus"). */
const RECONNECT_MS = 100;
const DIAL_TIMEOUT_MS = 2_000;
/** Ping interval if no pings are needed: the maximum of a timer, milliseconds. */
const NO_PINGS_MS = 2 ** 31 - 1;

/**
 * Connects to the bus, and again for ever when the connection is lost. Rejects with `host_unavailable` if `signal`
 * fires or the only attempt fails, with `bad_field` for a socket path that is too long.
 */
export async function connectBus(options: ConnectBusOptions): Promise<Bus> {
  const { name, signal } = options;
  let current: NatsTransport | null = null;
  let bus: Bus | null = null;
  /** Number of failed attempts in a row. */
  let failures = 0;
  const { dial, current: currentUrl } = dialer(options.server, options);
  // The kernel reports the end of the other side, and a hung manager is found by its missing heartbeats.
  const isLocal = options.server.kind !== "url";
  const natsOptions: NatsTransportOptions = {
    // The library requires an address; `dial` chooses the carrier.
    servers: "localhost:4222",
    dial,
    isLocal,
    onAnswer: (problem) => {
      if (problem === null) failures = 0;
      const url = currentUrl();
      if (url) options.onAttempt?.(problem, placeOf(url));
    },
    onTransport: (transport) => {
      current = transport;
    },
    onDrained: () => bus?.notifyDrained(),
    name,
    timeout: DIAL_TIMEOUT_MS,
    reconnect: true,
    maxReconnectAttempts: -1,
    reconnectDelayHandler: () => {
      const pause = Math.min(RECONNECT_MS * 1.5 ** failures++, Math.max(RECONNECT_MS, options.maxPauseMs ?? 0));
      return pause * (0.75 + Math.random() / 2);
    },
    waitOnFirstConnect: options.waitForBroker ?? true,
    // Throwing is the only way to end the library's loop for the first connection.
    reconnectToServer: () => {
      signal?.throwIfAborted();
      return null;
    },
    pingInterval: isLocal ? NO_PINGS_MS : PING_MS,
    // The transport notices a dead connection.
    maxPingOut: Number.MAX_SAFE_INTEGER,
    ignoreAuthErrorAbort: true,
    ignoreClusterUpdates: true,
    noAsyncTraces: true,
    authenticator: authenticatorOf(options, currentUrl),
    ...pick(options, ["user", "pass"]),
  };
  try {
    const connection = await natsConnection(natsOptions);
    bus = new Bus(connection, { name, transport: () => current, log: options.log ?? (() => {}) });
    return bus;
  } catch (cause) {
    if (cause instanceof MgrError) throw cause;
    throw new MgrError("host_unavailable", `the bus connection '${name}' could not be made: ${messageOf(cause)}`, { cause });
  }
}

/** Dials the addresses of a server one after the other. */
export function dialer(
  server: BusServer,
  options: Pick<ConnectBusOptions, "signal" | "token" | "onAttempt">,
): { dial: Dial; current(): URL | null } {
  const { signal, onAttempt } = options;
  const both = (abandoned: AbortSignal) => (signal ? AbortSignal.any([signal, abandoned]) : abandoned);
  if (server.kind === "memory")
    return { dial: async () => server.broker.connectMemory(pick(server, ["permissions"])), current: () => null };
  if (server.kind === "unix") {
    const { path } = server;
    if (typeof path === "string") {
      assertSocketPath(path);
      return { dial: (abandoned) => dialUnix(path, both(abandoned)), current: () => null };
    }
    return { dial: async (abandoned) => dialUnix(path(), both(abandoned)), current: () => null };
  }
  const urls = server.urls.map(busUrl);
  let turn = -1;
  const dial = async (abandoned: AbortSignal) => {
    turn = (turn + 1) % urls.length;
    const url = urls[turn] as URL;
    try {
      const isWeb = url.protocol === "ws:" || url.protocol === "wss:";
      return await (isWeb
        ? dialWebsocket(url, { ...server.tls, token: secretOf(options.token) }, both(abandoned))
        : dialNats(url, server.tls ?? {}, both(abandoned)));
    } catch (error) {
      onAttempt?.(messageOf(error), placeOf(url));
      throw error;
    }
  };
  return { dial, current: () => urls[turn] ?? null };
}

/** Tries the connection's own credentials, then those in the address. */
function authenticatorOf(options: ConnectBusOptions, current: () => URL | null): Authenticator[] {
  const fromUrl: Authenticator = () => {
    const url = current();
    if (!url || url.username === "") return undefined;
    const user = decodeURIComponent(url.username);
    return url.password === "" ? { auth_token: user } : { user, pass: decodeURIComponent(url.password) };
  };
  const { token, credentials } = options;
  return [
    fromUrl,
    ...(token === undefined ? [] : [tokenAuthenticator(() => secretOf(token) ?? "")]),
    ...(credentials === undefined ? [] : [credsAuthenticator(credentials)]),
  ];
}

function secretOf(token: ConnectBusOptions["token"]): string | undefined {
  return typeof token === "function" ? token() : token;
}

function pick<T extends object, K extends keyof T>(source: T, keys: readonly K[]): { [P in K]?: Exclude<T[P], undefined> } {
  const picked: { [P in K]?: Exclude<T[P], undefined> } = {};
  for (const key of keys) if (source[key] !== undefined) picked[key] = source[key] as Exclude<T[K], undefined>;
  return picked;
}
