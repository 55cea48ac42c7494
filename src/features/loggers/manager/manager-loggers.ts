import { fromPromise } from "xstate";
import type { DomainEvents } from "../../../actors/domain-events.ts";
import { type LoggerMachineEvent, loggerMachine } from "../../../actors/logger-machine.ts";
import type { ActorSystem } from "../../../actors/system.ts";
import { untilState } from "../../../actors/until-state.ts";
import { HostParts } from "../../../app/hosts/host-parts.ts";
import type { HostSession } from "../../../app/hosts/host-session.ts";
import type { HostTable } from "../../../app/hosts/host-table.ts";
import { MgrError, messageOf } from "../../../base/errors.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import { topicNameProblem } from "../../../base/topics/topic-subject.ts";
import type { TopicRecord } from "../../../contract/registry.ts";
import type { LogBook } from "../../../log/log-book.ts";
import type { Topic } from "../../data-plane/wire/topic.ts";
import type { DownloadedFile } from "../../recordings/manager/index.ts";
import { UpsertPublisher } from "../../recordings/manager/index.ts";
import type { LoggerSettings } from "../config.ts";
import { type LoggerSpec, MAX_LOGGERS } from "../contract.ts";
import type { DaemonLogger } from "../wire.ts";
import { HostLoggers } from "./host-loggers.ts";
import { LoggerBook, type LoggerFile, type RequestedLogger } from "./logger-book.ts";
import { type EmptyTopic, LoggerDownloads } from "./logger-downloads.ts";
import { loggerResource } from "./logger-resource.ts";
import type { DownloadRequest, LoggerConfiguration, Loggers } from "./loggers.ts";
import type { RingOnHost } from "./ring-spool.ts";

export interface ManagerLoggersOptions {
  readonly system: ActorSystem;
  readonly hosts: HostTable;
  readonly events: DomainEvents;
  readonly clock: Clock;
  readonly log: LogBook;
  /** `loggers` of the present configuration. */
  readonly settings: () => LoggerSettings;
  readonly file: LoggerFile;
  readonly topic: (name: string) => { readonly resource: Topic; readonly known: { readonly record: TopicRecord } } | null;
  /** Folder for downloads; null: the system's folder for temporary files. */
  readonly downloads: string | null;
}

/** The loggers of all hosts. The daemons hold the samples; each manager sends them the loggers. */
export class ManagerLoggers implements Loggers {
  readonly #options: ManagerLoggersOptions;
  readonly #book: LoggerBook;
  readonly #hosts: HostParts<HostLoggers>;
  readonly #upserts: UpsertPublisher<DaemonLogger>;
  /** Number of commands under way, by logger: clients are notified of changes after the answers. */
  readonly #commands = new Map<string, number>();
  readonly #downloads: LoggerDownloads;
  readonly #unsubscribe: () => void;

  constructor(options: ManagerLoggersOptions) {
    this.#options = options;
    const { hosts, events, clock } = options;
    this.#book = new LoggerBook(options.file, options.settings);
    this.#downloads = new LoggerDownloads(options.downloads);
    this.#upserts = new UpsertPublisher({
      clock,
      resource: (name) => this.#resource(name),
      isHeld: (name) => this.#commands.has(name),
      isUrgent: (before, after) => JSON.stringify(withoutCounts(before)) !== JSON.stringify(withoutCounts(after)),
      upsert: (logger) => events.publish({ type: "logger_upsert", logger }),
      remove: (name) => events.publish({ type: "logger_remove", name }),
    });
    this.#hosts = new HostParts({
      hosts,
      events,
      make: (host, session) => this.#follow(host, session),
      begin: (host, loggers) => void this.#greet(host, loggers),
      lost: () => this.#updateAll(),
      removed: () => this.#updateAll(),
    });
    this.#unsubscribe = events.subscribe((event) => {
      if (event.type === "topic_upsert") this.#topicChanged(event.topic.name);
      else if (event.type === "topic_remove") this.#topicChanged(event.name);
    });
  }

  /** Starts the loggers of the configuration and of earlier managers. Called once, when actors can be started. */
  begin(): void {
    this.reconfigure();
  }

  /** Applies a changed configuration. */
  reconfigure(): void {
    const names = new Set(this.#book.names());
    for (const name of this.#options.system.names("logger")) if (!names.has(name)) void this.#drop(name);
    for (const name of names) {
      const requested = this.#book.get(name);
      if (requested !== null) this.#send(name, { type: "configure", isStarted: requested.is_started });
    }
  }

  list(): DaemonLogger[] {
    return this.#book.names().flatMap((name) => this.#resource(name) ?? []);
  }

  configure(name: string, { only_ts, topics }: LoggerConfiguration, by: string): Promise<void> {
    return this.#command(name, `'${by}' configured the logger '${name}'`, async () => {
      const known = this.#book.get(name);
      checkTopics(topics);
      if (known === null && this.#book.names().length >= MAX_LOGGERS)
        throw new MgrError("conflict", `there are ${MAX_LOGGERS} loggers: delete one first`);
      if (known?.is_started) throw new MgrError("conflict", `the logger '${name}' is running: stop it first`);
      this.#checkDownloads(name);
      const saved = this.#book.set(name, { only_ts, topics, is_started: false });
      await this.#sendCommand(name, { type: "configure", isStarted: false });
      await saved;
    });
  }

  start(name: string, by: string): Promise<void> {
    return this.#command(name, `'${by}' started the logger '${name}'`, async () => {
      const saved = this.#book.set(name, { ...this.#require(name), is_started: true });
      await this.#sendCommand(name, { type: "start" });
      await saved;
    });
  }

  stop(name: string, by: string): Promise<void> {
    return this.#command(name, `'${by}' stopped the logger '${name}'`, async () => {
      const saved = this.#book.set(name, { ...this.#require(name), is_started: false });
      await this.#sendCommand(name, { type: "stop" });
      await saved;
    });
  }

  remove(name: string, by: string): Promise<void> {
    return this.#command(name, `'${by}' deleted the logger '${name}' and its samples`, async () => {
      this.#require(name);
      this.#checkDownloads(name);
      const saved = this.#book.delete(name);
      await this.#drop(name);
      await saved;
    });
  }

  async download({ name, format, stop, forSpreadsheets, signal }: DownloadRequest, by: string): Promise<DownloadedFile> {
    this.#require(name);
    this.#send(name, { type: "collect" });
    const collected = () => void this.#options.system.send("logger", name, { type: "collected" });
    try {
      const rings = async () => {
        this.#checkHolders(name);
        if (stop && this.#require(name).is_started) await this.stop(name, by);
        return this.#ringsOf(name);
      };
      const file = await this.#downloads.collect({
        name,
        format,
        forSpreadsheets,
        signal,
        rings,
        topics: () => this.#emptyTopics(name),
      });
      return { ...file, close: () => file.close().finally(collected) };
    } catch (error) {
      collected();
      throw error;
    }
  }

  /** Called after each step of a logger's actor. */
  stepped(name: string): void {
    this.#upserts.publish(name);
  }

  close(): void {
    this.#unsubscribe();
    this.#upserts.close();
    this.#downloads.close();
    this.#hosts.close();
  }

  #follow(host: string, session: HostSession): HostLoggers {
    const loggers: HostLoggers = new HostLoggers({
      session,
      clock: this.#options.clock,
      isRecording: () => this.#book.names().some((name) => this.#book.get(name)?.is_started),
      changed: (names) => {
        for (const name of names) {
          const holds = loggers.rings(name).some(({ first, end }) => end > first);
          if (this.#book.get(name) !== null) this.#book.noteHolder(name, host, holds);
          this.#upserts.publish(name);
        }
      },
    });
    return loggers;
  }

  /** Makes a host that has become ready keep exactly the loggers of this manager. */
  async #greet(host: string, loggers: HostLoggers): Promise<void> {
    try {
      for (const name of await loggers.fetch()) if (this.#book.get(name) === null) await loggers.delete(name);
    } catch (error) {
      // Retried when the host becomes ready again.
      if (this.#book.names().length > 0) this.#options.log.warn(`the loggers of host '${host}' are not known: ${messageOf(error)}`);
    }
    this.#updateAll();
    for (const name of this.#book.names()) {
      const spec = this.#specOf(name);
      if (spec === null) continue;
      await loggers
        .set(spec, this.#options.settings().max_memory)
        .catch((error: unknown) => this.#options.log.warn(`host '${host}' does not record for the logger '${name}': ${messageOf(error)}`));
    }
  }

  /** Refuses a download while a host with samples is lost: the file would look complete. */
  #checkHolders(name: string): void {
    const lost = [...this.#book.holders(name)].filter((host) => this.#options.hosts.has(host) && !this.#hosts.ready.has(host));
    if (lost.length === 0) return;
    const hosts = lost.map((host) => `'${host}'`).join(", ");
    throw new MgrError(
      "host_unavailable",
      `samples of the logger '${name}' are on ${hosts}, not reachable now: try again when it is connected (\`mgr hosts\`)`,
    );
  }

  /** Rings with samples at this moment, in the order of the configuration. */
  async #ringsOf(name: string): Promise<RingOnHost[]> {
    const { topics, only_ts } = this.#require(name);
    const hosts = [...this.#hosts.ready].sort().flatMap((host) => {
      const loggers = this.#hosts.get(host);
      return loggers === undefined ? [] : [{ host, loggers }];
    });
    await Promise.all(hosts.map(({ loggers }) => loggers.fetch()));
    return topics.flatMap((topic) =>
      hosts.flatMap(({ host, loggers }) => {
        const report = loggers.rings(name).find((ring) => ring.topic === topic.name && ring.end > ring.first);
        return report === undefined ? [] : [{ host, session: loggers.session, report, only_ts }];
      }),
    );
  }

  /** The topics of a logger without samples, as their publishers describe them now. */
  #emptyTopics(name: string): EmptyTopic[] {
    const { topics, only_ts } = this.#require(name);
    return topics.map(({ name: topic }) => {
      const found = this.#options.topic(topic);
      const { definition = "", definition_name: definitionName = "", encoding = "raw" } = found?.known.record ?? {};
      return { topic, host: found?.resource.publisher_host ?? "", definition, definitionName, encoding, only_ts };
    });
  }

  #topicChanged(topic: string): void {
    for (const name of this.#book.names())
      if (this.#book.get(name)?.topics.some((spec) => spec.name === topic)) this.#upserts.publishLater(name);
  }

  #updateAll(): void {
    for (const name of this.#book.names()) this.#upserts.publish(name);
  }

  #checkDownloads(name: string): void {
    const downloads = this.#options.system.get("logger", name)?.getSnapshot().context.downloads ?? 0;
    if (downloads > 0) throw new MgrError("conflict", `the logger '${name}' is being downloaded: try again when that is over`);
  }

  async #command(name: string, done: string, work: () => Promise<void>): Promise<void> {
    this.#commands.set(name, (this.#commands.get(name) ?? 0) + 1);
    try {
      await work();
      this.#options.log.info(done);
    } finally {
      const others = (this.#commands.get(name) ?? 1) - 1;
      if (others > 0) this.#commands.set(name, others);
      else this.#commands.delete(name);
      setImmediate(() => this.#upserts.publish(name));
    }
  }

  async #drop(name: string): Promise<void> {
    this.#options.system.stop("logger", name);
    this.#upserts.publish(name);
    // An unreachable host is updated when it is back.
    await Promise.allSettled([...this.#hosts.ready].map((host) => this.#hosts.get(host)?.delete(name)));
  }

  /** Sends a command, and waits until the actor has settled. Rejects with the actor's problem. */
  async #sendCommand(name: string, event: LoggerMachineEvent): Promise<void> {
    this.#send(name, event);
    const actor = this.#options.system.get("logger", name);
    if (actor === undefined) throw new MgrError("internal", `the logger '${name}' has failed too often; restart the manager`);
    const isAtRest = await untilState(actor, () => !["configuring", "stopping"].includes(actor.getSnapshot().value));
    if (!isAtRest && this.#book.get(name) === null)
      throw new MgrError("conflict", `the logger '${name}' was deleted before the command was carried out`);
    if (!isAtRest)
      throw new MgrError("internal", `the result of the command for the logger '${name}' is unknown: check its state, then try again`);
    const { value, context } = actor.getSnapshot();
    if (value === "error") throw new MgrError("conflict", context.problem ?? `no host records for the logger '${name}'`);
  }

  #send(name: string, event: LoggerMachineEvent): void {
    const { system } = this.#options;
    if (!system.names("logger").includes(name)) {
      const machine = loggerMachine.provide({
        actors: { tell: fromPromise(({ input }) => this.#configureHosts(input.name, input.isStarted)) },
      });
      system.spawn("logger", name, () => ({ machine, input: { name } }));
    }
    system.send("logger", name, event);
  }

  async #configureHosts(name: string, isStarted: boolean): Promise<void> {
    const known = this.#specOf(name);
    if (known === null) return;
    const spec = { ...known, is_started: isStarted };
    const hosts = [...this.#hosts.ready];
    const { max_memory } = this.#options.settings();
    const results = await Promise.allSettled(hosts.map((host) => this.#hosts.get(host)?.set(spec, max_memory)));
    const failed = results.flatMap((result, index) => (result.status === "rejected" ? [{ host: hosts[index], error: result.reason }] : []));
    // Unreachable hosts are updated later.
    const refused = failed.filter(({ error }) => !(error instanceof MgrError && ["host_unavailable", "timeout"].includes(error.code)));
    const [first] = refused;
    if (first !== undefined && refused.length === hosts.length) throw first.error;
    for (const { host, error } of failed)
      this.#options.log.warn(`host '${host}' does not follow the logger '${name}': ${messageOf(error)}`);
  }

  #specOf(name: string): LoggerSpec | null {
    const requested = this.#book.get(name);
    return requested && { name, only_ts: requested.only_ts, is_started: requested.is_started, topics: [...requested.topics] };
  }

  #resource(name: string): DaemonLogger | null {
    const requested = this.#book.get(name);
    if (requested === null) return null;
    const hosts = [...this.#hosts.all].map(([host, loggers]) => ({
      host,
      isReady: this.#hosts.ready.has(host),
      rings: loggers.rings(name),
    }));
    return loggerResource(name, requested, hosts, (topic) => this.#options.topic(topic)?.resource);
  }

  #require(name: string): RequestedLogger {
    const known = this.#book.get(name);
    if (known === null) throw new MgrError("not_found", `there is no logger '${name}'`);
    return known;
  }
}

function withoutCounts(logger: DaemonLogger): DaemonLogger {
  return { ...logger, topics: logger.topics.map((topic) => ({ ...topic, n_samples: 0 })) };
}

/** Throws `bad_field`. */
function checkTopics(topics: LoggerConfiguration["topics"]): void {
  const names = new Set<string>();
  for (const [index, { name }] of topics.entries()) {
    const problem = names.has(name) ? "is listed twice" : topicNameProblem(name);
    if (problem !== null) throw new MgrError("bad_field", `'topics[${index}].name' of 'configure_logger' ${problem}`);
    names.add(name);
  }
}
