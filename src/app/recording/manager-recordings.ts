import { resolve } from "node:path";
import { fromPromise } from "xstate";
import type { DomainEvents } from "../../actors/domain-events.ts";
import { recordingMachine } from "../../actors/recording-machine.ts";
import type { RecordedFileReader, RecordingRequest, Recordings } from "../../actors/recordings.ts";
import type { ActorSystem } from "../../actors/system.ts";
import type { Clock } from "../../base/clock.ts";
import { MgrError, messageOf } from "../../base/errors.ts";
import type { RecordSettings } from "../../config/definition.ts";
import { MAX_FILE_PART_BYTES, type RecordingNote, type RecordingReport, type RecordingSpec } from "../../contract/recording.ts";
import type { LogBook } from "../../log/log-book.ts";
import type { Recording } from "../../protocol/resources/resources.ts";
import type { HostTable } from "../hosts/host-table.ts";
import { HostRecordings } from "./host-recordings.ts";
import { NoteSender } from "./note-sender.ts";
import { recordingResource } from "./recording-resource.ts";

/** Name of the recording that `record` in the configuration describes. */
const CONFIGURED = "main";
/** Upserts of one recording that only count, milliseconds. */
const COUNT_MS = 500;

export interface ManagerRecordingsOptions {
  readonly system: ActorSystem;
  readonly hosts: HostTable;
  readonly localHost: string;
  readonly events: DomainEvents;
  readonly clock: Clock;
  readonly log: LogBook;
  /** `record` of the present configuration. */
  readonly settings: () => RecordSettings;
  /** Where relative paths of the configuration begin, on this machine. */
  readonly baseDir: () => string;
}

/** The recordings of all hosts. What is recorded lives in the daemons: it goes on without a manager, and the next one finds it. */
export class ManagerRecordings implements Recordings {
  readonly #options: ManagerRecordingsOptions;
  readonly #hosts = new Map<string, HostRecordings>();
  readonly #ready = new Set<string>();
  readonly #told = new Map<string, { resource: Recording; at: number }>();
  readonly #waiting = new Map<string, unknown>();
  readonly #notes: NoteSender;
  readonly #leave: () => void;
  #isAutostarted = false;

  constructor(options: ManagerRecordingsOptions) {
    this.#options = options;
    const { events, clock, log } = options;
    this.#notes = new NoteSender({ clock, log, isWanted: () => this.#wantsNotes(), send: (notes) => this.#sendNotes(notes) });
    this.#leave = events.subscribe((event) => {
      if (event.type === "host_upsert") this.#hostChanged(event.host.name, event.host.state);
      else if (event.type === "host_remove") this.#forget(event.name);
    });
  }

  list(): Recording[] {
    return this.#names().map((name) => this.#resource(name));
  }

  async start(request: RecordingRequest, by: string): Promise<void> {
    const { name } = request;
    const state = this.#stateOf(name).state;
    if (state === "starting" || state === "recording" || state === "stopping")
      throw new MgrError("conflict", `the recording '${name}' is ${state === "recording" ? "running" : state}: stop it first`);
    await this.#begin(specOf(request, this.#options.settings()));
    this.#note(`'${by}' started the recording '${name}'`);
  }

  async stop(name: string, by: string): Promise<void> {
    this.#require(name);
    await this.#settled(name, () => this.#options.system.send("recording", name, { type: "stop" }));
    this.#note(`'${by}' stopped the recording '${name}'`);
  }

  async remove(name: string, file: { host?: string; file: string } | null, by: string): Promise<void> {
    this.#require(name);
    const reports = this.#reports(name);
    if (file === null && [...reports.values()].some(({ state }) => state === "recording"))
      throw new MgrError("conflict", `the recording '${name}' is running: stop it first`);
    const hosts = file === null ? [...reports.keys()] : [file.host ?? hostOf(file.file, reports)];
    for (const host of hosts) {
      const { session } = this.#host(host);
      await session.command((id) => session.link.request("record_delete", { session: id, name, file: file?.file ?? null }));
      if (file === null) this.#hosts.get(host)?.reports.delete(name);
    }
    this.#note(`'${by}' deleted ${file === null ? `the recording '${name}'` : `${file.file} of the recording '${name}'`}`);
    this.#publish(name);
  }

  async open(name: string, host: string, file: string): Promise<RecordedFileReader> {
    const { session } = this.#host(host);
    const read = (from: number, max: number) =>
      session.command((id) =>
        session.link.request("record_read", { session: id, name, file, from, max: Math.min(max, MAX_FILE_PART_BYTES) }),
      );
    const { size } = await read(0, 0);
    return { size, read: async (from, max) => (await read(from, max)).data };
  }

  /** For recordings that include it. */
  note(kind: RecordingNote["kind"], value: unknown): void {
    this.#notes.add(kind, value);
  }

  /** The actor of a recording took a step. */
  stepped(name: string): void {
    this.#publish(name);
  }

  close(): void {
    this.#leave();
    this.#notes.close();
    for (const host of this.#hosts.values()) host.close();
    for (const timer of this.#waiting.values()) this.#options.clock.clearTimeout(timer);
  }

  #hostChanged(host: string, state: string): void {
    if (state !== "ready") {
      this.#ready.delete(host);
      return;
    }
    if (this.#ready.has(host)) return;
    const session = this.#options.hosts.session(host);
    if (session === null) return;
    this.#ready.add(host);
    const known = this.#hosts.get(host);
    if (known !== undefined && known.session !== session) known.close();
    const recordings =
      known?.session === session
        ? known
        : new HostRecordings({
            session,
            changed: (names, isWhole) => this.#reported(host, names, isWhole),
          });
    this.#hosts.set(host, recordings);
    recordings.begin();
  }

  #forget(host: string): void {
    const names = [...(this.#hosts.get(host)?.reports.keys() ?? [])];
    this.#hosts.get(host)?.close();
    this.#hosts.delete(host);
    this.#ready.delete(host);
    for (const name of names) this.#tell(name);
  }

  #reported(host: string, names: ReadonlySet<string>, isWhole: boolean): void {
    const missing = isWhole ? this.#missingAt(host) : new Map<string, RecordingSpec>();
    // What a new daemon is about to record again has not ended.
    for (const name of names) if (!missing.has(name)) this.#tell(name);
    for (const [name, spec] of missing) void this.#join(host, name, spec);
    if (isWhole && host === this.#options.localHost) void this.#autostart();
  }

  /** Recordings that run, and that a host does not record because it, or its daemon, was not there when they began. */
  #missingAt(host: string): Map<string, RecordingSpec> {
    const missing = new Map<string, RecordingSpec>();
    const names = new Set([...this.#names(), ...this.#told.keys()]);
    for (const name of names) {
      const report = this.#hosts.get(host)?.reports.get(name);
      // A daemon that ended it by itself has its reason: a full disk, for example.
      const isFresh = report === undefined || (report.state === "stopped" && report.started_at === null);
      if (!isFresh || this.#stateOf(name).state !== "recording") continue;
      const spec = this.#options.system.get("recording", name)?.getSnapshot().context.spec ?? this.#specOf(name) ?? report?.spec;
      if (spec !== undefined) missing.set(name, spec);
    }
    return missing;
  }

  async #join(host: string, name: string, spec: RecordingSpec): Promise<void> {
    try {
      await this.#startAt(host, spec);
    } catch (error) {
      this.#warn(`host '${host}' does not record '${name}': ${messageOf(error)}`);
      this.#tell(name);
    }
  }

  /** Once in the life of a manager, as `record` of the configuration says. */
  async #autostart(): Promise<void> {
    const settings = this.#options.settings();
    if (this.#isAutostarted || !settings.autostart) return;
    this.#isAutostarted = true;
    if (this.#stateOf(CONFIGURED).state === "recording") return;
    await this.#begin(specOf({ name: CONFIGURED }, settings)).catch((error: unknown) => this.#warn(messageOf(error)));
  }

  async #begin(spec: RecordingSpec): Promise<void> {
    const { name } = spec;
    this.#actor(name);
    const failed = await this.#settled(name, () => this.#options.system.send("recording", name, { type: "start", spec }));
    if (failed !== null) throw new MgrError("conflict", failed);
  }

  /** Sends a command and waits until the actor rests; resolves with its problem. */
  #settled(name: string, send: () => void): Promise<string | null> {
    const actor = this.#actor(name);
    send();
    return new Promise((resolve) => {
      const look = () => {
        const { value, context } = actor.getSnapshot();
        if (value === "starting" || value === "stopping") return false;
        resolve(value === "error" ? context.problem : null);
        return true;
      };
      if (look()) return;
      const subscription = actor.subscribe(() => {
        if (look()) subscription.unsubscribe();
      });
    });
  }

  #actor(name: string) {
    const { system } = this.#options;
    const known = system.get("recording", name);
    if (known !== undefined) return known;
    const machine = recordingMachine.provide({
      actors: {
        start: fromPromise(async ({ input }) => this.#startEverywhere(input.spec)),
        stop: fromPromise(async ({ input }) => this.#stopEverywhere(input.name)),
      },
    });
    system.spawn("recording", name, () => ({ machine, input: { name } }));
    const actor = system.get("recording", name);
    if (actor === undefined) throw new MgrError("internal", `the recording '${name}' has failed too often; restart the manager`);
    return actor;
  }

  async #startEverywhere(spec: RecordingSpec | null): Promise<void> {
    if (spec === null) return;
    const hosts = [...this.#ready];
    if (hosts.length === 0) throw new MgrError("host_unavailable", "no host can be reached: try again when daemon_ready is true");
    const results = await Promise.allSettled(hosts.map((host) => this.#startAt(host, spec)));
    const refused = results.flatMap((result) => (result.status === "rejected" ? [messageOf(result.reason)] : []));
    if (refused.length === hosts.length) throw new MgrError("conflict", refused[0] ?? "no host records it");
    for (const reason of refused) this.#warn(`'${spec.name}' is not recorded everywhere: ${reason}`);
  }

  #startAt(host: string, spec: RecordingSpec): Promise<unknown> {
    const { session } = this.#host(host);
    const { localHost, baseDir } = this.#options;
    const path = spec.path === null ? null : resolve(baseDir(), spec.path);
    const own = host === localHost ? { ...spec, path } : { ...spec, include: spec.include.filter((kind) => kind === "processes") };
    return session.command((id) => session.link.request("record_start", { session: id, spec: own }));
  }

  async #stopEverywhere(name: string): Promise<void> {
    const hosts = [...this.#reports(name)].filter(([, { state }]) => state === "recording").map(([host]) => host);
    await Promise.all(
      hosts.map((host) => {
        const { session } = this.#host(host);
        return session.command((id) => session.link.request("record_stop", { session: id, name }));
      }),
    );
  }

  #tell(name: string): void {
    const reports = [...this.#reports(name).values()];
    if (reports.length > 0) this.#actor(name);
    const isRecording = reports.some(({ state }) => state === "recording");
    const problem = reports.find((report) => report.problem !== null)?.problem ?? null;
    this.#options.system.send("recording", name, { type: "reported", isRecording, problem });
    this.#publish(name);
  }

  /** Changes of state at once, counters at most twice a second. */
  #publish(name: string): void {
    const { events, clock } = this.#options;
    if (!this.#names().includes(name)) {
      if (this.#told.delete(name)) events.publish({ type: "recording_remove", name });
      return;
    }
    const resource = this.#resource(name);
    const told = this.#told.get(name);
    const now = clock.monotonic();
    const isUrgent = told === undefined || told.resource.state !== resource.state || told.resource.problem !== resource.problem;
    if (!isUrgent && now - told.at < COUNT_MS) {
      if (!this.#waiting.has(name))
        this.#waiting.set(
          name,
          clock.setTimeout(() => this.#publishLate(name), COUNT_MS),
        );
      return;
    }
    if (told !== undefined && JSON.stringify(told.resource) === JSON.stringify(resource)) return;
    this.#told.set(name, { resource, at: now });
    events.publish({ type: "recording_upsert", recording: resource });
  }

  #publishLate(name: string): void {
    this.#waiting.delete(name);
    this.#publish(name);
  }

  /** Recordings that a host knows, or that are about to begin. */
  #names(): string[] {
    const names = new Set([...this.#hosts.values()].flatMap(({ reports }) => [...reports.keys()]));
    for (const name of this.#told.keys()) {
      const { state } = this.#stateOf(name);
      if (state !== "idle" && state !== "error") names.add(name);
    }
    return [...names].sort();
  }

  #resource(name: string): Recording {
    return recordingResource(name, this.#stateOf(name), this.#reports(name));
  }

  #stateOf(name: string): Pick<Recording, "state" | "problem"> {
    const snapshot = this.#options.system.get("recording", name)?.getSnapshot();
    return snapshot === undefined ? { state: "idle", problem: null } : { state: snapshot.value, problem: snapshot.context.problem };
  }

  #reports(name: string): ReadonlyMap<string, RecordingReport> {
    return new Map(
      [...this.#hosts].flatMap(([host, { reports }]) => {
        const report = reports.get(name);
        return report === undefined ? [] : [[host, report] as const];
      }),
    );
  }

  #specOf(name: string): RecordingSpec | null {
    return [...this.#reports(name).values()].find(({ state }) => state === "recording")?.spec ?? null;
  }

  #require(name: string): void {
    if (!this.#names().includes(name)) throw new MgrError("not_found", `there is no recording '${name}'`);
  }

  #host(host: string): HostRecordings {
    const known = this.#hosts.get(host);
    if (known === undefined) throw new MgrError("not_found", `there is no host '${host}' with recordings`);
    return known;
  }

  #wantsNotes(): boolean {
    const reports = this.#hosts.get(this.#options.localHost)?.reports.values() ?? [];
    return [...reports].some(({ state, spec }) => state === "recording" && spec.include.some((kind) => kind !== "processes"));
  }

  #sendNotes(notes: RecordingNote[]): void {
    const session = this.#hosts.get(this.#options.localHost)?.session;
    if (session?.isOpen) session.command((id) => session.link.request("record_notes", { session: id, notes })).catch(() => undefined);
  }

  #note(msg: string): void {
    this.#options.log.append({ level: "info", source: "manager", msg });
  }

  #warn(msg: string): void {
    this.#options.log.append({ level: "warning", source: "manager", msg });
  }
}

function hostOf(file: string, reports: ReadonlyMap<string, RecordingReport>): string {
  const found = [...reports].find(([, { files }]) => files.some((known) => known.file === file));
  if (found === undefined) throw new MgrError("not_found", `there is no file '${file}' of this recording`);
  return found[0];
}

function specOf(request: RecordingRequest, settings: RecordSettings): RecordingSpec {
  const { max_duration, delete_oldest } = request;
  return {
    name: request.name,
    topics: request.topics ?? [...settings.topics],
    terminals: request.terminals ?? [...settings.terminals],
    include: request.include ?? [...settings.include],
    path: settings.path,
    max_size: request.max_size ?? settings.max_size,
    max_duration_ms: max_duration === undefined ? settings.max_duration : max_duration * 1_000,
    max_files: request.max_files ?? settings.max_files,
    min_free_space: request.min_free_space ?? settings.min_free_space,
    on_full: delete_oldest === undefined ? settings.on_full : delete_oldest ? "delete_oldest" : "stop",
  };
}
