import { poll } from "../../../base/timing/wait.ts";
import { ERROR_TEXTS } from "../broker-protocol.ts";
import type { Subscriber } from "../broker-subscriber.ts";
import { BrokerClient, type ClientEnvironment } from "../client/broker-client.ts";
import type { ClientListeners, TcpOptions } from "../listeners/client-listeners.ts";
import type { BrokerPermissions } from "../permissions.ts";
import { type BrokerState, type HandedBroker, LISTENER } from "./broker-state.ts";
import { GonePublisher } from "./gone-publisher.ts";
import { type ClientState, handedNames } from "./handed-client.ts";
import type { HandedFlow } from "./handed-queue.ts";

/** Maximum time in which received messages are processed before the program is replaced, milliseconds; what is left is handed over as bytes. */
const MAX_QUIET_MS = 1_000;
const CHECK_MS = 2;
const NOTHING = new Uint8Array();

export interface AdoptOptions extends TcpOptions {
  /** Permissions of a client that has logged in at the earlier broker, by their `key`; null: they are no longer valid. */
  readonly permissionsOf: (key: string) => BrokerPermissions | null;
}

/** The listener and the clients of an earlier broker. */
export interface Adopted {
  readonly port: number;
  /** Serves the clients. Until then they wait: nothing is read from them. */
  readonly begin: () => void;
}

interface HandoverParts {
  readonly environment: ClientEnvironment;
  readonly listeners: ClientListeners;
  readonly clients: Set<BrokerClient>;
}

/** Hands the connections of a broker to the next program, or takes them up there: no message is lost, and none arrives twice. */
export class BrokerHandover {
  readonly #parts: HandoverParts;
  /** Whether no client is read. */
  isQuiet = false;

  constructor(parts: HandoverParts) {
    this.#parts = parts;
  }

  /** Reads nothing more from the clients, and resolves when what was received is processed. Senders wait in the kernel's buffers. */
  async quiet(): Promise<void> {
    const { clients, environment } = this.#parts;
    this.isQuiet = true;
    for (const { connection } of clients) connection.reading.halt();
    await poll(() => [...clients].every(({ connection }) => connection.isProcessed), { everyMs: CHECK_MS, forMs: MAX_QUIET_MS });
    environment.router.deliveries.finish();
  }

  resume(): void {
    this.isQuiet = false;
    for (const { connection } of this.#parts.clients) connection.reading.unhalt();
  }

  handOver(nextClient: number): HandedBroker {
    const { environment, listeners } = this.#parts;
    const { id, counters, router, links, hooks } = environment;
    const descriptors: Record<string, number> = {};
    const listener = listeners.tcpDescriptor;
    if (listener >= 0) descriptors[LISTENER] = listener;
    const bytes: Record<string, Uint8Array> = {};
    const clients: ClientState[] = [];
    for (const client of this.#parts.clients) {
      const handed = client.handOver();
      if (handed === null) continue;
      const names = handedNames(client.id);
      clients.push(handed.state);
      descriptors[names.descriptor] = handed.descriptor;
      for (const kind of ["input", "output", "queue"] as const) if (handed.bytes[kind].length > 0) bytes[names[kind]] = handed.bytes[kind];
    }
    const table = hooks?.handOver();
    const counts = { counters: { ...counters }, subjects: router.handOver(), answers: links.answers.handOver() };
    const state: BrokerState = { id, nextClient, clients, ...counts, hooks: table?.state ?? null };
    return { state, descriptors: { ...descriptors, ...table?.descriptors }, bytes: { ...bytes, ...table?.bytes } };
  }

  /** A connection that cannot be continued is closed. Throws if the listening socket is missing. */
  adopt({ state, descriptors, bytes }: HandedBroker, { permissionsOf, ...options }: AdoptOptions): Adopted {
    const { environment, listeners, clients } = this.#parts;
    const port = listeners.adoptTcp(descriptors[LISTENER] ?? -1, options);
    const adopted = new Map<number, BrokerClient>();
    const revoked = new Set<BrokerClient>();
    for (const one of state.clients) {
      const permissions = one.key === null ? null : permissionsOf(one.key);
      const place = { address: one.address, isKnown: permissions !== null };
      const taken = listeners.adoptClient(descriptors[handedNames(one.id).descriptor] ?? -1, place, options);
      if (taken === null) continue;
      const client = new BrokerClient(one.id, taken.stream, taken.accepted, environment);
      clients.add(client);
      client.adopt(one, permissions);
      adopted.set(one.id, client);
      if (one.key !== null && permissions === null) revoked.add(client);
    }
    environment.router.adopt(state.subjects, adopted);
    environment.links.answers.adopt(state.answers);
    const beginTable = environment.hooks?.adopt({ state: state.hooks, descriptors, bytes }, adopted);
    const gone = new Map<string, Subscriber>();
    const publisherOf = (flow: HandedFlow) => {
      const key = `${flow.publisher} ${flow.key}`;
      const publisher = adopted.get(flow.publisher) ?? gone.get(key) ?? new GonePublisher(flow);
      gone.set(key, publisher);
      return publisher;
    };
    for (const { id, connection } of state.clients) {
      const { input, output, queue } = handedNames(id);
      const parts = { input: bytes[input] ?? NOTHING, output: bytes[output] ?? NOTHING, queue: bytes[queue] ?? NOTHING };
      adopted.get(id)?.connection.adopt({ state: connection, ...parts }, publisherOf);
    }
    const begin = () => {
      for (const client of adopted.values()) client.open(true);
      beginTable?.();
      for (const client of revoked) client.fail(ERROR_TEXTS.revoked);
    };
    return { port, begin };
  }
}
