import { dirname, join } from "node:path";
import type { EndOfCommand } from "../base/command-observer.ts";
import { diskFull, isDiskFull, MgrError, messageOf, wireCode } from "../base/errors.ts";
import { listNames } from "../base/text/names.ts";
import { didYouMeanName } from "../base/text/suggest.ts";
import { systemClock } from "../base/timing/clock.ts";
import { busHostLink } from "../bus/host-link/host-link.ts";
import { authFilePath } from "../config/default-paths.ts";
import type { Config } from "../config/definition.ts";
import { localHostName } from "../config/host-names.ts";
import { fileReader } from "../config/load/load.ts";
import { MANAGER_FEATURES } from "../features/manager.ts";
import type { HttpServerOptions, PreparedHttpServer } from "../http/index.ts";
import type { LogBook } from "../log/log-book.ts";
import type { OutputHub } from "../transport/output/output-hub.ts";
import { createTransport, type Transport } from "../transport/websocket.ts";
import { engineBus } from "./bus/engine-bus.ts";
import { type ManagerBus, openManagerBus } from "./bus/manager-bus.ts";
import { Engine } from "./engine.ts";
import { openFeatures } from "./feature.ts";
import { DaemonKeeper } from "./local-daemon/daemon-keeper.ts";
import { LocalDaemon } from "./local-daemon/local-daemon.ts";
import { operatorSocket } from "./local-daemon/operator-socket.ts";
import { CONTROL_SOCKET } from "./local-daemon/running-instance.ts";
import type { ManagerOptions } from "./manager-options.ts";
import { builtPage, findPortProblem, localUser, prepareHttp } from "./serve-http.ts";
import { openManagerFolder } from "./state/manager-folder.ts";
import type { StateFiles } from "./state/state-files.ts";
import { keepStateFolder } from "./state/state-folder.ts";

/** Time for hosts to accept the kill command when a second signal forces the shutdown, milliseconds. */
const MAX_REMOTE_KILL_MS = 2_000;

export interface RunningManager {
  /** Base URL of the page and the WebSocket. */
  readonly url: string;
  /** The reason why this machine's host is not ready although the port is open; null: it was ready before. */
  readonly hostProblem: string | null;
  /** The reason why all logins to the page are refused, and what to do; null: they are not. */
  readonly loginProblem: string | null;
  readonly engine: Engine;
  /** Reads the configuration again; the result, or the reason why it cannot be used, is logged. */
  reload(by: string): void;
  /** Stops everything in reverse order and ends the daemon; with `keep`, daemon and processes keep running without this manager. */
  shutdown(options: { keep: boolean; by?: string }): Promise<void>;
  /** Ends at once: the daemon is killed, and its guard kills the daemon's processes. */
  shutdownNow(): Promise<void>;
}

/** Runs a manager: locks, log, broker, port, daemon, actors. Rejects with a MgrError that names what failed. */
export async function startManager(config: Config, options: ManagerOptions = {}): Promise<RunningManager> {
  const manager = new Manager(config, options);
  try {
    await manager.start();
  } catch (error) {
    options.daemon?.cancel();
    await manager.release();
    if (isDiskFull(error)) throw diskFull(config.instance.state_dir, error);
    throw error;
  }
  return manager;
}

class Manager implements RunningManager {
  url = "";
  hostProblem: string | null = null;
  loginProblem: string | null = null;
  readonly #config: Config;
  readonly #options: ManagerOptions;
  /** Resources to release, newest first. */
  readonly #cleanups: (() => unknown)[] = [];
  #engine: Engine | null = null;
  #daemon: DaemonKeeper | null = null;
  #log: LogBook | null = null;
  #transport: Transport | null = null;
  #http: PreparedHttpServer | null = null;
  #end: Promise<void> | null = null;
  #hurriedEnd: Promise<void> | null = null;
  #released: Promise<void> | null = null;

  constructor(config: Config, options: ManagerOptions) {
    this.#config = config;
    this.#options = options;
  }

  get engine(): Engine {
    if (!this.#engine) throw new MgrError("conflict", "the manager has not started");
    return this.#engine;
  }

  async start(): Promise<void> {
    // The names are checked before anything runs that would have to be stopped again.
    const asked = this.#options.start ?? [];
    for (const name of asked === "all" ? [] : asked) {
      if (!this.#config.processes.has(name) && !this.#config.groups.has(name))
        throw new MgrError(
          "not_found",
          `nothing was started: there is no process or group '${name}'${didYouMeanName(name, this.#config.processes.keys())}`,
        );
    }
    const { instance } = this.#config;
    const { stateDir, uuid, socket, sockets, lock, note, files, intents, log, epoch, history, configHistory } = await openManagerFolder({
      config: this.#config,
      cleanups: this.#cleanups,
      onLog: (opened) => {
        this.#log = opened;
        if (this.#options.onLog) opened.subscribe(this.#options.onLog);
      },
    });
    // Detects a port in use, without opening it, before anything is started. The start fails with it when the audit is open.
    const portProblem = await findPortProblem(instance);
    const bus = await openManagerBus({
      instance,
      log,
      hosts: () => (this.#engine?.processTable.config ?? this.#config).hosts,
      isManaged: (name) => this.#engine?.control.state.hosts().some((known) => known.name === name) ?? false,
      onRefused: (daemon) => this.#engine?.daemonRefused(daemon),
    });
    this.#cleanups.push(() => bus.close());
    const host = localHostName();
    const link = busHostLink(bus.localHosts, host);
    this.#cleanups.push(() => link.close());
    const features = await openFeatures(MANAGER_FEATURES, { files, sockets, warn: (msg) => this.#logError(msg) });

    const daemon = new LocalDaemon({ stateDir, host, socket, prepared: this.#options.daemon ?? null });
    this.#cleanups.push(() => daemon.endNewborn());
    const listen = () => bus.broker.listenUnix(socket, { folder: sockets, moved: (path) => lock.moveTo(path) });
    // A new daemon gets ready while the actors are created. One that runs already must not find the socket before its heartbeat is heard.
    const isFound = portProblem === null && (await daemon.find());
    if (!isFound && portProblem === null) {
      await listen();
      await daemon.start();
    }
    const engine = new Engine({
      config: this.#config,
      clock: systemClock,
      log,
      intents,
      isIntentLost: intents.isNew,
      epoch,
      link,
      loadConfig: fileReader(this.#config, { trustConfig: this.#options.trustConfig ?? false }),
      onProcessAtRest: this.#options.onProcessAtRest,
      history,
      ...engineBus(bus),
      features,
      configHistory,
      launch: this.#options.launch,
    });
    this.#engine = engine;
    this.#cleanups.push(() => engine.close());
    this.#followOutput(engine.hub);
    // From now on, a failed write of requests is retried.
    void engine.saveIntents();
    // The shutdown begins at the signal, even if the start has not finished.
    this.#options.signal?.addEventListener("abort", () => engine.beginShutdown(), { once: true });
    const started = await this.#observe("manager_start", "mgr up", { start: asked });
    try {
      if (portProblem !== null) throw portProblem;
      const operators = operatorSocket({ uuid, access: () => engine.processTable.config.access, log });
      if (operators !== null) this.#cleanups.push(() => operators.remove());
      const http = await this.#prepareHttp(engine, log, bus, {
        localSocket: { path: join(dirname(socket), CONTROL_SOCKET), identify: localUser, home: { folder: sockets, moved() {} } },
        operatorSocket: operators?.options ?? null,
      });
      this.#cleanups.push(keepStateFolder({ lock, intents, files, log, onCheck: () => note.keep() }));
      if (isFound) await listen();
      const keeper = new DaemonKeeper({ stateDir, daemon, engine, log });
      this.#daemon = keeper;
      this.#cleanups.push(() => keeper.release());
      this.hostProblem = await keeper.begin(this.#options.signal ?? new AbortController().signal);
      await this.#openPort(http, files, log);
      await this.#startNamed(engine);
      await engine.started();
    } catch (error) {
      started({ ok: false, code: wireCode(error), message: messageOf(error) });
      throw error;
    }
    started({ ok: true });
  }

  reload(by: string): void {
    if (!this.engine.control.state.isShuttingDown) void this.#reload(by);
  }

  async #reload(by: string): Promise<void> {
    const end = await this.#observe("reload_config", by, {});
    await this.engine.control.configuration.reload(by).then(
      () => end({ ok: true }),
      // A failure of the reload has already been logged.
      (error: unknown) => end({ ok: false, code: wireCode(error), message: messageOf(error) }),
    );
  }

  shutdown({ keep, by = "mgr down" }: { keep: boolean; by?: string }): Promise<void> {
    this.#engine?.beginShutdown();
    this.#end ??= this.#shutDown(keep, by);
    return this.#end;
  }

  /** Observers see what the owner of the manager does with it, but cannot refuse that. */
  async #observe(name: string, by: string, args: Readonly<Record<string, unknown>>): Promise<EndOfCommand> {
    try {
      return await this.engine.observe({ name, by, args });
    } catch (error) {
      this.#logError(`'${name}' by ${by} continues, although an observer failed: ${messageOf(error)}`);
      return () => {};
    }
  }

  shutdownNow(): Promise<void> {
    this.#engine?.beginShutdown();
    this.#hurriedEnd ??= this.#killAll().finally(() => this.release());
    return this.#hurriedEnd;
  }

  release(): Promise<void> {
    this.#released ??= this.#release();
    return this.#released;
  }

  async #release(): Promise<void> {
    for (const cleanup of this.#cleanups.splice(0).reverse()) {
      try {
        await cleanup();
      } catch (error) {
        this.#logError(`while ending: ${messageOf(error)}`);
      }
    }
  }

  async #shutDown(keep: boolean, by: string): Promise<void> {
    try {
      const end = await this.#observe("manager_stop", by, { keep });
      end({ ok: true });
      if (!keep) await this.#stopAll();
      this.#letGo();
      if (!keep) await this.#daemon?.end("SIGTERM");
    } finally {
      await this.release();
    }
  }

  /** Stops all processes. Those that do not end, or run on unreachable hosts, are left to their daemons. */
  async #stopAll(): Promise<void> {
    this.#daemon?.beginShutdown();
    try {
      const left = await this.engine.stopEverything();
      if (left.length > 0) this.#logError(`these did not end in time: ${listNames(left)}; their daemons continue to stop them`);
    } catch (error) {
      this.#logError(`stopping everything failed; the daemons continue: ${messageOf(error)}`);
    }
  }

  async #killAll(): Promise<void> {
    this.#daemon?.beginShutdown();
    await this.engine.killRemote(MAX_REMOTE_KILL_MS);
    await this.#daemon?.end("SIGKILL");
  }

  /** Passes the output of all processes to `options.output`, until the engine closes. */
  #followOutput(hub: OutputHub): void {
    const { output } = this.#options;
    if (output === undefined) return;
    const subscription = hub.open({ sink: output, contains: () => true, everything: true });
    output.begin(() => hub.hasRoom(subscription));
  }

  #logError(msg: string): void {
    this.#log?.error(msg);
  }

  #letGo(): void {
    // Connections have actors too: they must receive the end before the engine closes. No new ones are accepted.
    this.#http?.refuse();
    this.#sayGoodbye();
    // From here on silent hosts are not reported.
    this.engine.close();
  }

  #sayGoodbye(): void {
    this.#transport?.close(1001, "the manager is shutting down");
    this.#transport = null;
  }

  async #prepareHttp(
    engine: Engine,
    log: LogBook,
    bus: ManagerBus,
    locals: Pick<HttpServerOptions, "localSocket" | "operatorSocket">,
  ): Promise<PreparedHttpServer> {
    const { instance } = this.#config;
    const { control, extensions, hub, system } = engine;
    const assets = builtPage();
    const transport = createTransport({ control, extensions, hub, system, assetHash: assets.hash });
    this.#transport = transport;
    this.#cleanups.push(() => this.#sayGoodbye());
    const authFile = authFilePath(instance);
    const { busUpgrade } = bus;
    const http = prepareHttp({
      engine,
      transport,
      assets,
      instance,
      log,
      authFile,
      ...locals,
      listen: instance.manager,
      bus: busUpgrade,
      book: bus.peers,
    });
    // Released in reverse order: the port stays open until the WebSockets are closed.
    this.#cleanups.splice(
      -1,
      0,
      () => http.close(),
      () => bus.retire(),
    );
    this.#http = http;
    await bus.listen(http);
    return http;
  }

  /** Opens the port. From here on commands are accepted: this machine's host is ready, or the reason why it is not has been reported. */
  async #openPort(http: PreparedHttpServer, files: StateFiles, log: LogBook): Promise<void> {
    this.#cleanups.push(() => files.remove("manager.url"));
    const { url, localUrl, loginProblem } = await http.open();
    this.url = url;
    this.loginProblem = loginProblem;
    await files.write("manager.url", `${localUrl}\n`);
    const { instance, profiles } = this.#config;
    log.info(`'${instance.name}' serves ${url}${profiles.length === 0 ? "" : `, with the profiles ${profiles.join(", ")}`}`);
  }

  async #startNamed(engine: Engine): Promise<void> {
    const { start = [] } = this.#options;
    const names = start === "all" ? [...this.#config.processes.keys()] : start;
    if (names.length > 0) await engine.commands.startNamed(names, "mgr up");
  }
}
