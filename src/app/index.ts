import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Clock, systemClock } from "../base/clock.ts";
import { MgrError } from "../base/errors.ts";
import { ManagerClient } from "../client/manager-client.ts";
import { ProcessHandle } from "../client/process-handle.ts";
import { fileReader, loadConfigFile, loadConfigObject } from "../config/load.ts";
import type { ConfigInput } from "../config/schema.ts";
import type { HostLink } from "../contract/host-link.ts";
import { Host } from "../daemon/host.ts";
import { LogBook } from "../log/log-book.ts";
import type { LogEntry, Snapshot } from "../protocol/resources.ts";
import type { ViewMode } from "../transport/view.ts";
import { createTransport } from "../transport/websocket.ts";
import { Engine } from "./engine.ts";
import { inProcessLink } from "./in-process-link.ts";
import { memoryIntents } from "./intent-keeper.ts";

export { MgrError } from "../base/errors.ts";
export type { ManagerClient } from "../client/manager-client.ts";
export type { ProcessHandle } from "../client/process-handle.ts";
export type { WaitOptions } from "../client/wait.ts";
export type { ConfigInput } from "../config/schema.ts";
export type * from "../protocol/resources.ts";

export interface CreateOptions {
  /** Folder that relative paths of a configuration object mean; the working directory by default. */
  baseDir?: string;
  /** Follows the manager's log. */
  onLog?: (entry: LogEntry) => void;
  clock?: Clock;
  /** What runs the processes; a host in this very program by default. It is closed along with the manager. */
  host?: HostLink;
}

/** How long the host in the same program has for its hello, milliseconds. */
const HELLO_TIMEOUT_MS = 10_000;

/**
 * A manager within this program: no port, no files that stay, no daemon process. Dispose of it (`await using`), and
 * everything that it started is gone, also when a test throws. Rejects with ConfigError for a bad configuration.
 */
export async function createManager(config: ConfigInput | string, options: CreateOptions = {}): Promise<EmbeddedManager> {
  const stateDir = await mkdtemp(join(tmpdir(), "mgr-embedded-"));
  let manager: EmbeddedManager | null = null;
  try {
    const loaded =
      typeof config === "string"
        ? await loadConfigFile(config)
        : loadConfigObject(config, { base_dir: options.baseDir ?? process.cwd(), state_dir: stateDir });
    const clock = options.clock ?? systemClock;
    const log = new LogBook({ capacity: loaded.instance.retained_log_entries, now: () => clock.now() });
    if (options.onLog) log.subscribe(options.onLog);
    const host = options.host ?? new Host({ host: "localhost", subreaper: false, clock, log: (entry) => void log.append(entry) });
    const engine = new Engine({
      config: loaded,
      clock,
      log,
      intents: memoryIntents(),
      epoch: 1,
      link: host,
      loadConfig: fileReader(loaded),
    });
    manager = new EmbeddedManager(engine, host, stateDir);
    if (host instanceof Host) host.announce();
    await manager.hostReady();
    return manager;
  } catch (error) {
    if (manager) await manager[Symbol.asyncDispose]();
    else await rm(stateDir, { recursive: true, force: true });
    throw error;
  }
}

export class EmbeddedManager implements AsyncDisposable {
  readonly client: ManagerClient;
  readonly #engine: Engine;
  readonly #host: HostLink;
  readonly #stateDir: string;
  readonly #transport: ReturnType<typeof createTransport>;
  readonly #clients: ManagerClient[] = [];
  #end: Promise<void> | null = null;

  constructor(engine: Engine, host: HostLink, stateDir: string) {
    this.#engine = engine;
    this.#host = host;
    this.#stateDir = stateDir;
    const { control, hub, system } = engine;
    this.#transport = createTransport({ control, hub, system, assetHash: "" });
    this.client = this.connect();
  }

  /** A handle of one process. Throws `not_found`. */
  process(name: string): ProcessHandle {
    if (!this.#engine.control.process(name)) throw new MgrError("not_found", `there is no process '${name}'`);
    return new ProcessHandle(this.client, name);
  }

  snapshot(): Promise<Snapshot> {
    return this.client.snapshot();
  }

  /** One more connection, as a WebSocket would be, of the whole or of a focused view. */
  connect(view: ViewMode = { kind: "full" }): ManagerClient {
    const client = new ManagerClient(inProcessLink(this.#transport, view));
    this.#clients.push(client);
    return client;
  }

  /** Resolves once commands are taken; `timeout` if the host does not say hello. */
  async hostReady(): Promise<void> {
    if (this.#engine.world.isHostReady()) return;
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(() => {
        leave();
        reject(new MgrError("timeout", `the host did not say hello within ${HELLO_TIMEOUT_MS} ms`));
      }, HELLO_TIMEOUT_MS);
      const leave = this.#engine.events.subscribe((event) => {
        if (event.type !== "host_upsert" || !event.host.daemon_ready) return;
        clearTimeout(timer);
        leave();
        resolve();
      });
    });
  }

  [Symbol.asyncDispose](): Promise<void> {
    this.#end ??= this.#close();
    return this.#end;
  }

  async #close(): Promise<void> {
    for (const client of this.#clients) client.link.close("the manager is disposed of");
    this.#transport.close(1001, "the manager is disposed of");
    this.#engine.close();
    await this.#host.close();
    await rm(this.#stateDir, { recursive: true, force: true });
  }
}
