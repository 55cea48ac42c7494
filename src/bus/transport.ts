import { connect } from "node:net";
import { NatsConnectionImpl } from "@nats-io/nats-core/internal";
import { MgrError, messageOf } from "../base/errors.ts";
import type { Broker } from "./broker.ts";
import { Bus, type BusLog } from "./bus.ts";
import { type ByteStream, socketStream } from "./byte-stream.ts";
import { type Dial, installNatsTransport, type NatsTransport, type TransportOptions } from "./nats-transport.ts";
import { assertSocketPath } from "./unix-listener.ts";

installNatsTransport();

/** Where a broker is. TCP and WebSocket will be further kinds. */
export type BusServer = { readonly kind: "memory"; readonly broker: Broker } | { readonly kind: "unix"; readonly path: string };

export interface ConnectBusOptions {
  readonly server: BusServer;
  /** Shown in the broker's statistics and in errors. */
  readonly name: string;
  /** False: the first attempt decides. Default true: a broker that is not there yet is waited for. */
  readonly waitForBroker?: boolean;
  /** Gives up waiting for the broker. */
  readonly signal?: AbortSignal;
  readonly token?: string;
  readonly user?: string;
  readonly pass?: string;
  readonly log?: BusLog;
}

/** Pause between two attempts, time for one attempt, and pause between two pings; milliseconds (runtime.md, "Bus"). */
const RECONNECT_MS = 100;
const DIAL_TIMEOUT_MS = 2_000;
const PING_MS = 2_000;
/** Unanswered pings before the connection is given up. */
const MAX_PINGS_OUT = 2;

/**
 * Connects to the bus, and again for ever when the connection is lost. Rejects with `host_unavailable` if `signal`
 * fires or the only attempt fails, with `bad_field` for a socket path that is too long.
 */
export async function connectBus(options: ConnectBusOptions): Promise<Bus> {
  const { name, signal } = options;
  let current: NatsTransport | null = null;
  const natsOptions: TransportOptions = {
    // The library wants an address; the carrier is chosen by `dial`.
    servers: "localhost:4222",
    dial: dialer(options.server, signal),
    onTransport: (transport) => {
      current = transport;
    },
    name,
    timeout: DIAL_TIMEOUT_MS,
    reconnect: true,
    maxReconnectAttempts: -1,
    reconnectDelayHandler: () => RECONNECT_MS,
    waitOnFirstConnect: options.waitForBroker ?? true,
    // Throwing is the library's only way out of the first connection's loop.
    reconnectToServer: () => {
      signal?.throwIfAborted();
      return null;
    },
    pingInterval: PING_MS,
    maxPingOut: MAX_PINGS_OUT,
    ignoreAuthErrorAbort: true,
    ignoreClusterUpdates: true,
    noAsyncTraces: true,
    ...pick(options, ["token", "user", "pass"]),
  };
  try {
    const connection = await NatsConnectionImpl.connect(natsOptions);
    return new Bus(connection, { name, transport: () => current, log: options.log ?? (() => {}) });
  } catch (cause) {
    if (cause instanceof MgrError) throw cause;
    throw new MgrError("host_unavailable", `the bus connection '${name}' could not be made: ${messageOf(cause)}`, { cause });
  }
}

function dialer(server: BusServer, signal: AbortSignal | undefined): Dial {
  if (server.kind === "memory") return async () => server.broker.connectMemory();
  const { path } = server;
  assertSocketPath(path);
  return (abandoned) => dialUnix(path, signal ? AbortSignal.any([signal, abandoned]) : abandoned);
}

function dialUnix(path: string, signal: AbortSignal): Promise<ByteStream> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    const giveUp = () => {
      socket.destroy();
      reject(new Error(`no connection to ${path}: given up`));
    };
    signal.addEventListener("abort", giveUp, { once: true });
    socket.once("error", (cause) => {
      signal.removeEventListener("abort", giveUp);
      reject(new Error(`no connection to ${path}: ${cause.message}`, { cause }));
    });
    socket.once("connect", () => {
      signal.removeEventListener("abort", giveUp);
      resolve(socketStream(socket));
    });
  });
}

function pick<T extends object, K extends keyof T>(source: T, keys: readonly K[]): { [P in K]?: Exclude<T[P], undefined> } {
  const picked: { [P in K]?: Exclude<T[P], undefined> } = {};
  for (const key of keys) if (source[key] !== undefined) picked[key] = source[key] as Exclude<T[K], undefined>;
  return picked;
}
