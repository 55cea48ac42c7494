import type { Greeting, HostEmitted } from "../../actors/host-machine.ts";
import type { ActorSystem } from "../../actors/system.ts";
import type { Clock } from "../../base/timing/clock.ts";
import { StartPacer } from "../../base/timing/start-pacer.ts";
import { TurnShare } from "../../base/timing/turns.ts";
import type { Config } from "../../config/definition.ts";
import { localHostNames, remoteHostNames, remoteHosts } from "../../config/host-names.ts";
import type { HostLink } from "../../contract/host-link.ts";
import type { RunReport } from "../../contract/run.ts";
import type { LogBook } from "../../log/log-book.ts";
import type { HostEntry } from "../../protocol/resources/resources.ts";
import { formatTime } from "../../protocol/time.ts";
import type { OutputHub } from "../../transport/output/output-hub.ts";
import { busSettings } from "../bus/bus-settings.ts";
import type { RefusedDaemon } from "../bus/bus-tokens.ts";
import { HostController } from "./host-controller.ts";
import type { HostTable } from "./host-table.ts";
import type { HostedProcesses } from "./hosted-processes.ts";
import { RefusedDaemons } from "./refused-daemons.ts";

interface HostsOptions {
  table: HostTable;
  /** Link to the manager's own host, by its canonical name. */
  local: HostLink;
  /** Creates the link to a configured host; omitted if there is no bus: those hosts never become ready. */
  connect: ((host: string) => HostLink) | undefined;
  processTable: HostedProcesses;
  hub: OutputHub;
  epoch: number;
  clock: Clock;
  system: ActorSystem;
  log: LogBook;
  onChanged: (host: HostEntry) => void;
  onRemoved: (host: string) => void;
  /** Called with ended runs that a host replaced without a manager. */
  onPastRuns: (runs: readonly RunReport[], streamId: string) => void;
  /** Called when the checks of a process's run may have changed. */
  onChecks: (name: string) => void;
  /** Rebuilds a process on its configured host, if it was expected on a host that is no longer configured. */
  respawn: (name: string) => void;
  /** Whether the host knows which of its processes it has to restart without a manager. */
  isInformed: (host: string) => boolean;
}

/** Adds and removes the hosts of this manager: its own, and those of the configuration. */
export class Hosts {
  readonly #options: HostsOptions;
  readonly #greetings = new TurnShare({ units: 1 });
  /** Time when the daemon of a host was lost; null: it is connected. Hosts that were never connected are not in it. */
  readonly #lostTimes = new Map<string, number | null>();

  /** The last time in which a host had no manager, and restarted its processes by itself. */
  readonly #alone = new Map<string, NonNullable<Greeting["alone"]>>();
  readonly #refused: RefusedDaemons;

  constructor(options: HostsOptions) {
    this.#options = options;
    const { clock, log } = options;
    this.#refused = new RefusedDaemons({ clock, log, onChanged: (host) => this.publish(host) });
  }

  /** Records a refused daemon for the host that it names; if there is none, for the one whose token it has. */
  refused(daemon: RefusedDaemon): void {
    const { table } = this.#options;
    this.#refused.note(table.has(daemon.claimed) ? daemon.claimed : daemon.owner, daemon);
  }

  /** Manages the hosts that `config` names; removes others as soon as nothing runs there. */
  configure(config: Pick<Config, "hosts">): void {
    const { local, connect, processTable, table } = this.#options;
    if (!table.has(local.host)) this.#manage(local);
    const configured = new Set(remoteHosts(config));
    for (const host of configured) {
      const known = table.get(host);
      if (known) known.isLeaving = false;
      else if (connect) this.#manage(connect(host));
    }
    for (const [host, known] of table) {
      if (host === local.host || configured.has(host) || known.isLeaving) continue;
      known.isLeaving = true;
      // An unreachable host cannot receive a stop request, and cannot come back: its connection would be refused.
      if (!processTable.isHostReady(host)) this.#giveUp(host);
    }
  }

  /** Removes hosts that are no longer configured, run nothing, and know that nothing is wanted of them. */
  release(): void {
    const { table, processTable, isInformed } = this.#options;
    for (const host of table.leaving())
      if (processTable.namesAt(host).every((name) => processTable.isGone(name)) && isInformed(host)) this.#drop(host);
  }

  entries(): HostEntry[] {
    return [...this.#options.table.keys()].map((host) => this.entry(host));
  }

  entry(host: string): HostEntry {
    const { local, processTable } = this.#options;
    const names = host === local.host ? localHostNames(host, processTable.config) : remoteHostNames(host, processTable.config);
    const { state, greeting } = processTable.hostState(host);
    const lostTime = this.#lostTimes.get(host) ?? null;
    const alone = this.#alone.get(host);
    return {
      ...names,
      daemon_ready: state === "ready",
      state,
      problem: this.#refused.problemOf(host),
      lost_time: lostTime === null ? null : formatTime(lostTime),
      version: greeting?.version ?? null,
      clock_offset: greeting === null ? null : greeting.clock_offset_ms / 1_000,
      ...(alone && { alone: shownAlone(alone) }),
    };
  }

  /** Publishes changes of the host, if there are any. */
  publish(host: string): void {
    if (this.#options.table.has(host)) this.#options.onChanged(this.entry(host));
  }

  onEmit(host: string, event: HostEmitted): void {
    if (event.type === "ready") {
      this.#lostTimes.set(host, null);
      this.#refused.forget(host);
      if (event.greeting.alone !== null) this.#alone.set(host, event.greeting.alone);
    }
    // A failed greeting does not count as another loss.
    else if ((event.type === "lost" || event.type === "died") && this.#lostTimes.get(host) === null)
      this.#lostTimes.set(host, this.#options.clock.now());
    this.#options.table.controller(host)?.onEmit(event);
  }

  close(): void {
    this.#refused.close();
    for (const { controller, pacer } of this.#options.table.values()) {
      controller.close();
      pacer.close();
    }
  }

  #manage(link: HostLink): void {
    const { table, local, processTable, epoch, clock, system, hub, log, onChanged, onChecks, onPastRuns } = this.#options;
    const { host } = link;
    const isLocal = host === local.host;
    const pacer = new StartPacer(clock, () => processTable.config.hosts.get(host)?.start_rate ?? null);
    const controller = new HostController({
      host,
      isLocal,
      link,
      epoch,
      clock,
      system,
      hub,
      log,
      processTable,
      turn: () => this.#greetings.pass(),
      onPastRuns,
      onChecks,
      onHostChanged: () => {
        onChanged(this.entry(host));
        if (table.isLeaving(host) && !processTable.isHostReady(host)) this.#giveUp(host);
      },
      stopAfterMs: () => {
        const { on_manager_lost, manager_lost_after } = processTable.config.instance;
        return on_manager_lost === "stop" ? manager_lost_after : null;
      },
      bus: () => busSettings(processTable.config.instance, isLocal),
    });
    table.set(host, { controller, pacer, link, isLeaving: false });
    controller.begin();
    onChanged(this.entry(host));
  }

  /** Removes a host whose processes can no longer be controlled. */
  #giveUp(host: string): void {
    const { processTable, system, log, respawn } = this.#options;
    const names = processTable.namesAt(host);
    const alive = names.filter((name) => !processTable.isGone(name));
    if (alive.length > 0) {
      const list = alive.map((name) => `'${name}'`).join(", ");
      const msg = `host '${host}' is not configured any more, and cannot be reached: what it still runs of ${list} goes on there until its daemon is ended`;
      log.warn(msg);
    }
    for (const name of names) {
      if (processTable.isUnknown(name)) respawn(name);
      else system.send("process", name, { type: "host.died" });
    }
    this.#drop(host);
  }

  #drop(host: string): void {
    const known = this.#options.table.get(host);
    if (!known) return;
    this.#options.table.delete(host);
    this.#lostTimes.delete(host);
    this.#alone.delete(host);
    this.#refused.forget(host);
    known.pacer.close();
    known.controller.close();
    this.#options.system.stop("host", host);
    void known.link.close();
    this.#options.log.info(`host '${host}' is removed`);
    this.#options.onRemoved(host);
  }
}

function shownAlone({ from, until, restarts, resumed }: NonNullable<Greeting["alone"]>): NonNullable<HostEntry["alone"]> {
  const times = { from: formatTime(from), until: formatTime(until), restarts };
  return resumed === undefined ? times : { ...times, resumed: { ...resumed, time: formatTime(resumed.time) } };
}
