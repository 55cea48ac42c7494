import { randomBytes } from "node:crypto";
import { mkdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { systemClock } from "../base/clock.ts";
import { MgrError, messageOf } from "../base/errors.ts";
import { busHostLink } from "../bus/host-link.ts";
import { lateHostLink } from "../bus/late-host-link.ts";
import { writeFileAtomically } from "../config/atomic-file.ts";
import { authFilePath } from "../config/auth-file-path.ts";
import type { Config } from "../config/definition.ts";
import { IntentStore } from "../config/intent.ts";
import { fileReader } from "../config/load.ts";
import { CONTRACT_VERSION } from "../contract/messages.ts";
import { acquireLock, instanceUuid } from "../daemon/lock.ts";
import { socketDir } from "../daemon/sockets.ts";
import { assetHash } from "../http/index.ts";
import { LogBook } from "../log/log-book.ts";
import type { LogEntry } from "../protocol/resources.ts";
import { createTransport, type Transport } from "../transport/websocket.ts";
import { DaemonKeeper } from "./daemon-keeper.ts";
import { Engine } from "./engine.ts";
import { localHostName } from "./host-names.ts";
import { openLogFile } from "./log-file.ts";
import { type ManagerBus, openManagerBus } from "./manager-bus.ts";
import { PatientIntents } from "./patient-intents.ts";
import type { OnProcessAtRest } from "./process-news.ts";
import { noteRunning } from "./running-instance.ts";
import { ASSETS, serveHttp } from "./serve-http.ts";

export interface ManagerOptions {
  /** Follows the log from the first entry on. */
  onLog?: ((entry: LogEntry) => void) | undefined;
  /** May come before the manager is up. */
  onProcessAtRest?: OnProcessAtRest | undefined;
  /** Started beside what starts by itself: names of processes and groups, or everything. */
  start?: readonly string[] | "all";
  /** Ends the start: it rejects with the signal's reason, and a daemon that was started for it is gone. */
  signal?: AbortSignal;
}

export interface RunningManager {
  /** Base address of the page and the WebSocket. */
  readonly url: string;
  readonly engine: Engine;
  /** Reads the configuration again; what comes of it, or why it cannot be used, is in the log. */
  reload(by: string): void;
  /** Stops everything in reverse order and ends the daemon; with `keep` both go on without this manager. */
  shutdown(options: { keep: boolean }): Promise<void>;
  /** Ends at once: the daemon is killed, and its guard kills what it ran. */
  shutdownNow(): Promise<void>;
}

/** Runs a manager: locks, log, broker, port, daemon, actors. Rejects with a MgrError that says what is in the way. */
export async function startManager(config: Config, options: ManagerOptions = {}): Promise<RunningManager> {
  const manager = new Manager(config, options);
  try {
    await manager.start();
  } catch (error) {
    await manager.release();
    throw error;
  }
  return manager;
}

class Manager implements RunningManager {
  readonly #config: Config;
  readonly #options: ManagerOptions;
  /** What has to be let go of, newest first. */
  readonly #cleanups: (() => unknown)[] = [];
  #engine: Engine | null = null;
  #daemon: DaemonKeeper | null = null;
  #log: LogBook | null = null;
  #transport: Transport | null = null;
  #url = "";
  #ending = false;

  constructor(config: Config, options: ManagerOptions) {
    this.#config = config;
    this.#options = options;
  }

  get url(): string {
    return this.#url;
  }

  get engine(): Engine {
    if (!this.#engine) throw new MgrError("conflict", "the manager has not started");
    return this.#engine;
  }

  async start(): Promise<void> {
    // Before anything runs that somebody would have to end.
    const asked = this.#options.start ?? [];
    for (const name of asked === "all" ? [] : asked) {
      if (!this.#config.processes.has(name) && !this.#config.groups.has(name))
        throw new MgrError("not_found", `there is no process or group '${name}'; nothing was started`);
    }
    const { instance } = this.#config;
    const stateDir = instance.state_dir;
    await mkdir(stateDir, { recursive: true, mode: 0o700 });
    const uuid = instanceUuid(stateDir);
    const sockets = socketDir({ uuid, stateDir });
    const socket = join(sockets.path, "bus.sock");
    await this.#lock(stateDir, uuid, socket);
    this.#cleanups.push(noteRunning(this.#config));

    const intents = await IntentStore.open(join(stateDir, "intent.json"));
    const log = this.#openLog(stateDir, intents);
    const { path, problems } = sockets;
    if (problems.length > 0) log.append({ level: "warning", source: "manager", msg: `sockets are in ${path}: ${problems.join("; ")}` });
    const epoch = await intents.nextEpoch();

    const bus = await openManagerBus({
      instance,
      log,
      hosts: () => (this.#engine?.world.config ?? this.#config).hosts,
      isLed: (name) => this.#engine?.control.hosts().some((known) => known.name === name) ?? false,
    });
    this.#cleanups.push(() => bus.close());
    const host = localHostName();
    const link = busHostLink(bus.localHosts, host);
    this.#cleanups.push(() => link.close());

    const engine = new Engine({
      config: this.#config,
      clock: systemClock,
      log,
      intents,
      epoch,
      link,
      connectHost: (name) => lateHostLink(bus.shared, name),
      loadConfig: fileReader(this.#config),
      onProcessAtRest: this.#options.onProcessAtRest,
      busUrl: (process) => bus.clientUrl(process),
    });
    this.#engine = engine;
    this.#cleanups.push(() => engine.close());

    await this.#listen(engine, log, bus);
    await bus.broker.listenUnix(socket);
    const daemon = new DaemonKeeper({ stateDir, host, socket, engine, log });
    this.#daemon = daemon;
    this.#cleanups.push(() => daemon.release());
    await daemon.begin(this.#options.signal ?? new AbortController().signal);
    await this.#startNamed(engine);
  }

  reload(by: string): void {
    // Its failure has been logged.
    if (!this.#ending) this.engine.control.configuration.reload(by).catch(() => undefined);
  }

  async shutdown({ keep }: { keep: boolean }): Promise<void> {
    this.#ending = true;
    try {
      if (keep) this.#letGo();
      else await this.#stopAll();
    } finally {
      await this.release();
    }
  }

  async shutdownNow(): Promise<void> {
    this.#ending = true;
    try {
      await this.#daemon?.end("SIGKILL");
    } finally {
      await this.release();
    }
  }

  async release(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0).reverse()) {
      try {
        await cleanup();
      } catch (error) {
        this.#log?.append({ level: "error", source: "manager", msg: `while ending: ${messageOf(error)}` });
      }
    }
  }

  async #stopAll(): Promise<void> {
    // Only what the daemon answers for can be stopped by its actors; whatever is left, the daemon stops itself.
    if (this.engine.world.isHostReady()) await this.engine.stopEverything();
    this.#letGo();
    await this.#daemon?.end("SIGTERM");
  }

  #letGo(): void {
    // Connections have actors as well: they must have heard the end before the engine closes.
    this.#sayGoodbye();
    // From here on the hosts' silence is no news.
    this.engine.close();
  }

  #sayGoodbye(): void {
    this.#transport?.close(1001, "the manager is shutting down");
    this.#transport = null;
  }

  async #lock(stateDir: string, uuid: string, socket: string): Promise<void> {
    const path = join(stateDir, "manager.lock");
    const lock = await acquireLock(path, { instance_uuid: uuid, contract: CONTRACT_VERSION, socket });
    if ("holder" in lock) {
      throw new MgrError(
        "conflict",
        `'${this.#config.instance.name}' is running already: its manager has pid ${lock.holder.pid}. End it with: mgr down`,
      );
    }
    this.#cleanups.push(() => lock.release());
  }

  #openLog(stateDir: string, intents: IntentStore): LogBook {
    const log = new LogBook({ capacity: this.#config.instance.retained_log_entries, now: () => Date.now(), lastId: intents.lastLogId });
    this.#log = log;
    this.#cleanups.push(openLogFile(join(stateDir, "manager.log"), log));
    if (this.#options.onLog) log.subscribe(this.#options.onLog);
    if (intents.warning) log.append({ level: "warning", source: "manager", msg: intents.warning });
    this.#cleanups.push(async () => {
      intents.rememberLogId(log.lastId);
      await new PatientIntents(intents, { clock: systemClock, log }).flush();
    });
    return log;
  }

  async #listen(engine: Engine, log: LogBook, bus: ManagerBus): Promise<void> {
    const { instance } = this.#config;
    const stateDir = instance.state_dir;
    const token = randomBytes(32).toString("base64url");
    const tokenFile = join(stateDir, "local.token");
    const urlFile = join(stateDir, "manager.url");
    const { control, hub, system } = engine;
    const transport = createTransport({ control, hub, system, assetHash: await assetHash(ASSETS) });
    this.#transport = transport;
    this.#cleanups.push(() => this.#sayGoodbye());
    const authFile = authFilePath(instance);
    const { door } = bus;
    const http = await serveHttp({ engine, transport, instance, log, authFile, localToken: token, listen: instance.manager, bus: door });
    // Let go of in reverse: the port stays until the WebSockets have said goodbye.
    this.#cleanups.splice(
      -1,
      0,
      () => http.close(),
      () => bus.retire(),
    );
    await bus.listen(http);
    this.#url = http.url;
    await writeFileAtomically(tokenFile, `${token}\n`);
    await writeFileAtomically(urlFile, `${http.localUrl}\n`);
    this.#cleanups.push(() => Promise.all([rm(tokenFile, { force: true }), rm(urlFile, { force: true })]));
    log.append({ level: "info", source: "manager", msg: `'${instance.name}' serves ${http.url}` });
  }

  async #startNamed(engine: Engine): Promise<void> {
    const { start = [] } = this.#options;
    const names = start === "all" ? engine.world.names() : start;
    if (names.length > 0) await engine.control.startNamed(names, "mgr up");
  }
}
