import { tmpdir } from "node:os";
import { join } from "node:path";
import type { InspectionEvent } from "xstate";
import { MgrError } from "../../base/errors.ts";
import { checkOptions, FLAG, FUNCTION, type OptionRule, objectWith, shown, TEXT } from "../../base/options.ts";
import { type Clock, systemClock } from "../../base/timing/clock.ts";
import { hubDial } from "../../bus/client/hub-dial.ts";
import type { Config } from "../../config/definition.ts";
import { fileReader, loadConfigFile, loadConfigObject } from "../../config/load/load.ts";
import type { ConfigInput } from "../../config/schema/schema.ts";
import type { HostLink } from "../../contract/host-link.ts";
import { HostBus, type HostBusOptions } from "../../daemon/bus/host-bus.ts";
import { Host } from "../../daemon/host.ts";
import { LogBook } from "../../log/log-book.ts";
import type { LogEntry } from "../../protocol/resources/resources.ts";
import { createTransport } from "../../transport/websocket.ts";
import { engineBus } from "../bus/engine-bus.ts";
import { type ManagerBus, openManagerBus } from "../bus/manager-bus.ts";
import { withoutFile } from "../configuration/configuration.ts";
import { Engine } from "../engine.ts";
import { builtPage } from "../serve-http.ts";
import type { EmbeddedManager } from "./embedded-manager.ts";
import { openEmbeddedPort } from "./embedded-port.ts";
import { keepInFolder, keepInMemory } from "./embedded-state.ts";
import { InProcessManager } from "./in-process-manager.ts";

export interface CreateOptions {
  /** Base folder of relative paths in a configuration object; the working directory by default. */
  baseDir?: string;
  /** Receives the manager's log from the first entry on. */
  onLog?: (entry: LogEntry) => void;
  /** Clock for every timeout, delay and timestamp of the manager, its host and its handles. */
  clock?: Clock;
  /** Runs the processes; by default a host within this program. It is closed along with the manager. */
  host?: HostLink;
  /**
   * Opens the one port with page, routes and WebSockets: true for the configured address (a free port of localhost
   * for an object without `instance.manager`), or an address `[HOST]:PORT`. By default there is none.
   */
  listen?: boolean | string;
  /** Folder for the requested state and the log, kept across restarts; created if missing, and locked. By default nothing is written. */
  stateDir?: string;
  /**
   * Opens the bus: processes are given its address in `MGR_BUS_URL`, and configured hosts and clients connect to
   * it (NATS on a free port of loopback, or the configured address). By default there is none.
   */
  bus?: boolean;
  /** Uses configuration files that other users can change. By default they are an error. */
  trustConfig?: boolean;
  /** Receives every event of every actor. */
  inspect?: (event: InspectionEvent) => void;
}

const RULES: Readonly<Record<keyof CreateOptions, OptionRule>> = {
  baseDir: TEXT,
  onLog: FUNCTION,
  clock: objectWith("now", "monotonic", "setTimeout", "clearTimeout"),
  host: objectWith("request", "window", "heartbeat", "listen", "close"),
  listen: { is: "true, false or an address '[HOST]:PORT'", holds: (value) => FLAG.holds(value) || TEXT.holds(value) },
  stateDir: TEXT,
  bus: FLAG,
  trustConfig: FLAG,
  inspect: FUNCTION,
};

/**
 * A manager within this program, from a configuration object or the path of a file: no port, no files, no daemon process unless requested.
 * Disposing of it (`await using`) ends everything that it started, also when a test throws; if this program is killed, a guard ends everything
 * within moments. Rejects with ConfigError (every problem), `bad_field` (options), `conflict` (port or state folder in use) or `timeout` (a host of
 * your own that does not say hello within 10 s).
 */
export async function createManager(config: ConfigInput | string, options: CreateOptions = {}): Promise<EmbeddedManager> {
  checkOptions("createManager", options, RULES);
  if (typeof config !== "string" && (typeof config !== "object" || config === null))
    throw new MgrError("bad_field", `createManager takes a configuration object or the path of a file; found ${shown(config)}`);
  const { clock = systemClock, inspect, trustConfig = false } = options;
  const loaded = typeof config === "string" ? await loadConfigFile(config, { trustConfig }) : loadObject(config, options);
  const cleanups: (() => unknown)[] = [];
  const release = () => undo(cleanups);
  try {
    const state = options.stateDir === undefined ? keepInMemory() : await keepInFolder(options.stateDir);
    cleanups.push(() => state.release());
    const capacity = loaded.instance.retained_log_entries;
    const log = new LogBook({ capacity, now: () => clock.now(), ...(await state.logBefore(capacity)) });
    if (options.onLog) log.subscribe(options.onLog);
    const history = await state.begin(log);
    const logBus: HostBusOptions["log"] = (level, msg) => void log.append({ level, source: "bus", msg });
    const dialHub = () => {
      if (bus === null) throw new MgrError("internal", "the bus is opened before the host is greeted");
      return hubDial({ server: { kind: "memory", broker: bus.broker } });
    };
    const hostBus = options.bus && !options.host ? await HostBus.open({ host: HOST, files: state.bus, hub: dialHub, log: logBus }) : null;
    if (hostBus) cleanups.push(() => hostBus.close());
    const host = options.host ?? ownHost({ clock, log, bus: hostBus });
    cleanups.push(() => host.close());
    let next: ConfigInput | null = null;
    const readFile = fileReader(loaded, { trustConfig });
    let running: Engine | null = null;
    const bus = options.bus ? await openEmbeddedBus({ config: loaded, log, engine: () => running }) : null;
    if (bus) cleanups.push(() => bus.close());
    const engine = new Engine({
      config: loaded,
      clock,
      log,
      intents: state.intents,
      history,
      epoch: state.epoch,
      link: host,
      loadConfig: async (instead) => {
        if (next !== null) return loadObject(next, options);
        if (readFile === undefined) throw withoutFile();
        return readFile(instead);
      },
      inspect: inspect && ((event) => aside(() => inspect(event))),
      features: state.features,
      ...(bus === null ? {} : engineBus(bus)),
    });
    running = engine;
    cleanups.push(() => engine.close());
    const { listen = false } = options;
    const assets = listen === false ? null : builtPage();
    const { control, extensions, hub, system } = engine;
    const transport = createTransport({ control, extensions, hub, system, assetHash: assets?.hash ?? "" });
    cleanups.push(() => transport.close(1001, "this manager has been disposed"));
    const port =
      listen === false || assets === null
        ? null
        : await openEmbeddedPort({
            engine,
            log,
            transport,
            assets,
            config: loaded,
            listen,
            busUpgrade: bus?.busUpgrade ?? null,
            book: bus?.peers ?? null,
          });
    // Released in reverse order: the port stays open until the WebSockets are closed.
    if (port) cleanups.splice(-1, 0, () => port.close());
    await bus?.listen(port ?? NOBODY);
    const setNext = (object: ConfigInput | null) => {
      next = object;
    };
    const manager = new InProcessManager({
      engine,
      clock,
      transport,
      port,
      busUrl: hostBus?.localUrl ?? null,
      setNext,
      release,
    });
    if (host instanceof Host) host.announce();
    await manager.hostReady();
    return manager;
  } catch (error) {
    await release();
    throw error;
  }
}

const HOST = "localhost";

function ownHost({ clock, log, bus }: { clock: Clock; log: LogBook; bus: HostBus | null }): Host {
  return new Host({
    host: HOST,
    isDirect: true,
    subreaper: false,
    clock,
    log: (entry) => void log.append(entry),
    ...(bus === null ? {} : { bus }),
  });
}

/** Without the HTTP port there are no users, only processes with their own tokens. */
const NOBODY = { admitUser: () => Promise.resolve(null) };

interface BusOptions {
  config: Config;
  log: LogBook;
  /** Null: the engine has not been created yet. */
  engine: () => Engine | null;
}

async function openEmbeddedBus({ config, log, engine }: BusOptions): Promise<ManagerBus> {
  return openManagerBus({
    instance: config.instance,
    log,
    hosts: () => (engine()?.processTable.config ?? config).hosts,
    isManaged: (name) =>
      engine()
        ?.control.state.hosts()
        .some((known) => known.name === name) ?? false,
    onRefused: (daemon) => engine()?.daemonRefused(daemon),
  });
}

/** An error thrown by an observer does not affect the actor: it becomes an uncaught exception, as from any listener. */
function aside(observe: () => void): void {
  try {
    observe();
  } catch (error) {
    queueMicrotask(() => {
      throw error;
    });
  }
}

/** Runs all cleanups, newest first, then throws the first failure. */
async function undo(cleanups: (() => unknown)[]): Promise<void> {
  const failures: unknown[] = [];
  for (const cleanup of cleanups.splice(0).reverse()) {
    try {
      await cleanup();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length > 0) throw failures[0];
}

function loadObject(object: ConfigInput, { baseDir = process.cwd() }: CreateOptions): Config {
  // The state folder is only a name: nothing is written there.
  return loadConfigObject(object, { base_dir: baseDir, state_dir: join(tmpdir(), "mgr-embedded") });
}
