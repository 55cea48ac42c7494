import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { messageOf } from "../../base/errors.ts";
import type { HandedOver } from "../../base/handed-over.ts";
import { SerialQueue } from "../../base/timing/serial-queue.ts";
import { type Broker, type BrokerOptions, createBroker } from "../../bus/broker/broker.ts";
import { brokerState } from "../../bus/broker/handover/broker-state.ts";
import { HubConnection, type HubConnectionOptions, type HubDial, type HubState, hubState } from "../../bus/broker/leaf/hub-connection.ts";
import type { Credentials } from "../../bus/broker/permissions.ts";
import { defaultMemoryBytes } from "../../bus/broker/queues/memory-budget.ts";
import { hubDial } from "../../bus/client/hub-dial.ts";
import { Registry } from "../../bus/registry/registry.ts";
import { type BusSettings, busSettings } from "../../contract/messages.ts";
import { daemonConnectionName } from "../../contract/subjects.ts";
import { FEATURE_CHECKS } from "../../features/contract.ts";
import { takenState } from "../handover/taken-state.ts";
import type { BusFiles } from "./bus-files.ts";
import { RunTokens, tokensState } from "./run-tokens.ts";

const LOOPBACK = "127.0.0.1";
/** Ping interval: a client that does not answer is disconnected within three of these, milliseconds. */
const PING_MS = 2_000;

export interface HostBusOptions {
  /** Canonical name of the host. */
  readonly host: string;
  readonly files: BusFiles;
  readonly log: (level: "info" | "warning" | "error", msg: string) => void;
  /** Returns the target and credentials of the manager's broker; left out: there is none. */
  readonly hub?: (() => HubDial) | undefined;
  /** Programs that connect wait until `admit` is called. Default: they are served at once. */
  readonly isHeld?: boolean;
  /** State of the bus of the program that this one replaces. */
  readonly taken?: HandedOver | undefined;
  /** The broker's limits. */
  readonly broker?: Omit<BrokerOptions, "name" | "log" | "hooks">;
}

interface HostBusParts {
  readonly options: HostBusOptions;
  readonly broker: Broker;
  readonly registry: Registry;
  readonly files: BusFiles;
  readonly tokens: RunTokens;
  /** The token in `localUrl`. */
  readonly token: string;
  readonly localUrl: string;
  readonly admit: () => void;
}

/** Follows the link of a host's broker to its hub. */
export interface LinkWatcher {
  changed(isUp: boolean): void;
  /** The hub has received all that programs here had published at this time (`performance.now`), milliseconds. */
  confirmed(at: number): void;
}

/** State of the bus for the next program. */
const busState = z.object({
  port: z.int().min(1),
  token: z.string(),
  tokens: tokensState,
  settings: busSettings.nullable(),
  hub: hubState.nullable(),
  broker: brokerState,
});
type BusState = z.infer<typeof busState>;

/**
 * The broker of a host, for the programs of this host: on a loopback port that it keeps, with a token for each run. It works without a
 * manager; a link to the hub exchanges messages with other hosts.
 */
export class HostBus {
  readonly broker: Broker;
  /** Clients, topics and services of this broker. */
  readonly registry: Registry;
  readonly port: number;
  /** Address with a token, for local programs that are not runs. */
  readonly localUrl: string;
  /** File that holds `localUrl`; null: there is none. */
  readonly urlFile: string | null;
  /** Serves the programs of the host from now on. */
  readonly admit: () => void;
  readonly #files: BusFiles;
  readonly #tokens: RunTokens;
  readonly #token: string;
  readonly #options: HostBusOptions;
  #settings: BusSettings | null = null;
  #link: HubConnection | null = null;
  #isLinked = false;
  readonly #watchers = new Set<LinkWatcher>();
  /** Links are replaced one after the other. */
  readonly #changes = new SerialQueue();
  #isClosed = false;

  /** Starts the broker. Rejects with `conflict` if no port is available. */
  static async open(options: HostBusOptions): Promise<HostBus> {
    const { host, files, log, isHeld = false, taken } = options;
    const before = takenState(taken, busState, log);
    let port = 0;
    let admitNew = () => {};
    let begin = () => {};
    const admit = () => {
      begin();
      admitNew();
    };
    const admitted = isHeld
      ? new Promise<void>((resolve) => {
          admitNew = resolve;
        })
      : null;
    const registry = new Registry({
      host,
      server: "leaf",
      place: () => ({ port, unix_socket: null }),
      log,
      ...FEATURE_CHECKS,
    });
    const broker = createBroker({
      pingIntervalMs: PING_MS,
      ...options.broker,
      name: host,
      log,
      hooks: registry,
      taken: before === null || taken === undefined ? undefined : { ...taken, state: before.broker },
    });
    const { port: last, token } = before ?? files.read((msg) => log("warning", msg));
    const tokens = new RunTokens(token);
    tokens.adopt(before?.tokens ?? []);
    const authenticate = ({ token, user, pass }: Credentials) => {
      // Some libraries always send the part before the @ of an address as the user.
      const secret = token ?? (pass === null || pass === "" ? user : null);
      const permissions = secret === null ? null : tokens.permissionsOf(secret);
      return admitted === null ? permissions : admitted.then(() => permissions);
    };
    const listen = (wanted: number) => broker.listenTcp({ host: LOOPBACK, port: wanted, authenticate });
    const adopt = () => {
      const adopted = broker.adopt({ authenticate, permissionsOf: (key) => tokens.permissionsOfKey(key) });
      begin = adopted.begin;
      return adopted.port;
    };
    try {
      port =
        before !== null
          ? adopt()
          : await listen(last).catch((error: unknown) => {
              if (last === 0) throw error;
              log("warning", `the bus has another port than before; programs read it from bus.url: ${messageOf(error)}`);
              return listen(0);
            });
      const bus = new HostBus({ options, broker, registry, files, tokens, token, localUrl: urlOf(token, port), admit });
      files.keep({ port, token }, bus.localUrl);
      if (!isHeld) admit();
      if (before !== null && before.settings !== null) bus.#begin(before.settings, before.hub ?? undefined);
      return bus;
    } catch (error) {
      await broker.close();
      throw error;
    }
  }

  private constructor({ options, broker, registry, files, tokens, token, localUrl, admit }: HostBusParts) {
    this.#options = options;
    this.broker = broker;
    this.registry = registry;
    this.localUrl = localUrl;
    this.urlFile = files.urlFile;
    this.admit = admit;
    this.#files = files;
    this.#tokens = tokens;
    this.#token = token;
    this.port = Number(new URL(localUrl).port);
  }

  /** MGR_BUS_URL of a run that is about to start, valid until `end`. */
  begin(runId: string, process: string): string {
    return urlOf(this.#tokens.grant(runId, process), this.port);
  }

  /** Closes the connections of a run that has ended. */
  end(runId: string): void {
    if (this.#tokens.revoke(runId)) this.broker.revalidate();
  }

  /** Whether the link to the hub is up. */
  get isLinked(): boolean {
    return this.#isLinked;
  }

  /** Returns the function that ends it. */
  watchLink(watcher: LinkWatcher): () => void {
    this.#watchers.add(watcher);
    return () => void this.#watchers.delete(watcher);
  }

  /** Connects to the hub that the manager names. The link stays up without the manager, and is replaced when another hub is named. */
  follow(settings: BusSettings): void {
    if (!isDeepStrictEqual(settings, this.#settings) && !this.#isClosed) this.#begin(settings, undefined);
  }

  #begin(settings: BusSettings, taken: HubState | undefined): void {
    this.#settings = settings;
    this.broker.limitPayload(settings.max_payload);
    this.broker.memory.limit = settings.memory ?? defaultMemoryBytes();
    void this.#changes.run(async () => {
      await this.#link?.close();
      this.#link = this.#isClosed ? null : this.#connect(settings, taken);
    });
  }

  #connect({ hub }: BusSettings, taken: HubState | undefined): HubConnection | null {
    if (hub === null) return null;
    const { host, log, hub: manager } = this.#options;
    const dial =
      hub === "manager"
        ? manager?.()
        : hubDial({ server: { kind: "url", urls: [hub.url], ...(hub.ca === null ? {} : { tls: { ca: hub.ca } }) } });
    if (dial === undefined) return null;
    return new HubConnection({ broker: this.broker, name: daemonConnectionName(host, "link"), dial, log, taken, ...this.#linkEvents() });
  }

  #linkEvents(): Required<Pick<HubConnectionOptions, "onChange" | "onConfirmed">> {
    return {
      onChange: (isUp) => {
        this.#isLinked = isUp;
        for (const watcher of this.#watchers) watcher.changed(isUp);
      },
      onConfirmed: (at) => {
        for (const watcher of this.#watchers) watcher.confirmed(at);
      },
    };
  }

  /** Reads nothing more from programs, and resolves when what was received is processed; bounded in time. */
  quiet(): Promise<void> {
    return this.broker.quiet();
  }

  /** Reads again: the program was not replaced. */
  resume(): void {
    this.broker.resume();
  }

  /** Hands over port, tokens and the connections of programs. The link to the hub is closed by the exec, and dialed again. */
  handOver(): HandedOver {
    const { state: broker, descriptors, bytes } = this.broker.handOver();
    const hub = this.#link?.handOver() ?? null;
    const state: BusState = { port: this.port, token: this.#token, tokens: this.#tokens.handOver(), settings: this.#settings, hub, broker };
    return { state, descriptors, bytes };
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#files.forget();
    await this.#changes.run(async () => this.#link?.close());
    await this.broker.close();
  }
}

function urlOf(token: string, port: number): string {
  return `nats://${token}@${LOOPBACK}:${port}`;
}
