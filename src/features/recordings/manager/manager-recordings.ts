import { fromPromise } from "xstate";
import type { DomainEvents } from "../../../actors/domain-events.ts";
import {
  type RecordingActor,
  type RecordingMachineEvent,
  recordingMachine,
  type StartedRecording,
} from "../../../actors/recording-machine.ts";
import type { ActorSystem } from "../../../actors/system.ts";
import { untilState } from "../../../actors/until-state.ts";
import type { HostTable } from "../../../app/hosts/host-table.ts";
import { MgrError, messageOf } from "../../../base/errors.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import type { LogBook } from "../../../log/log-book.ts";
import type { HostClocks } from "../../host-clocks/manager/index.ts";
import type { RecordSettings } from "../config.ts";
import type { RecordingNote, RecordingReport, RecordingSpec } from "../contract.ts";
import type { Recording } from "../wire.ts";
import { type DownloadedFile, Downloads } from "./downloads.ts";
import { writeMerged } from "./merged-recording.ts";
import { NoteSender } from "./note-sender.ts";
import { RecordingCommands } from "./recording-commands.ts";
import { RecordingHosts } from "./recording-hosts.ts";
import { recordingResource } from "./recording-resource.ts";
import { recordingSpec } from "./recording-spec.ts";
import type { RecordedFileReader, RecordingRequest, Recordings } from "./recordings.ts";
import { UpsertPublisher } from "./upsert-publisher.ts";

const CLOCKS_NEEDED_BY = "recordings";
/** Name of the recording that `record` in the configuration describes. */
const CONFIGURED = "main";

export interface ManagerRecordingsOptions {
  readonly system: ActorSystem;
  readonly hosts: HostTable;
  readonly clocks: HostClocks;
  readonly localHost: string;
  readonly events: DomainEvents;
  readonly clock: Clock;
  readonly log: LogBook;
  /** `record` of the present configuration. */
  readonly settings: () => RecordSettings;
  /** Base folder of relative paths of the configuration, on this machine. */
  readonly baseDir: () => string;
  /** Folder for downloads; null: the system's folder for temporary files. */
  readonly downloads: string | null;
}

/** The recordings of all hosts. The daemons record: they continue without a manager, and the next manager reads their reports. */
export class ManagerRecordings implements Recordings {
  readonly #options: ManagerRecordingsOptions;
  readonly #hosts: RecordingHosts;
  readonly #commands: RecordingCommands;
  readonly #upserts: UpsertPublisher<Recording>;
  readonly #notes: NoteSender<RecordingNote["kind"]>;
  readonly #downloads: Downloads;
  #isAutostarted = false;

  constructor(options: ManagerRecordingsOptions) {
    this.#options = options;
    this.#downloads = new Downloads(options.downloads, "recording");
    const { hosts, events, clock, log, localHost, baseDir } = options;
    this.#hosts = new RecordingHosts({
      hosts,
      events,
      clock,
      reported: (host, names, isWhole) => this.#reported(host, names, isWhole),
      removed: (names) => {
        for (const name of names) this.#reportToActor(name);
      },
    });
    this.#commands = new RecordingCommands({ hosts: this.#hosts, localHost, baseDir, warn: (msg) => log.warn(msg) });
    this.#upserts = new UpsertPublisher({
      clock,
      resource: (name) => (this.#names().includes(name) ? this.#resource(name) : null),
      isUrgent: (before, after) => before.state !== after.state || before.problem !== after.problem,
      upsert: (recording) => events.publish({ type: "recording_upsert", recording }),
      remove: (name) => events.publish({ type: "recording_remove", name }),
    });
    this.#notes = new NoteSender({ clock, log, isNeeded: () => this.#needsNotes(), send: (notes) => this.#commands.sendNotes(notes) });
  }

  list(): Recording[] {
    return this.#names().map((name) => this.#resource(name));
  }

  async start(request: RecordingRequest, by: string): Promise<void> {
    const { name } = request;
    const { state } = this.#stateOf(name);
    if (state === "starting" || state === "recording" || state === "stopping")
      throw new MgrError("conflict", `the recording '${name}' is ${state === "recording" ? "running" : state}: stop it first`);
    await this.#begin(recordingSpec(request, this.#options.settings()));
    this.#options.log.info(`'${by}' started the recording '${name}'`);
  }

  async stop(name: string, by: string): Promise<void> {
    this.#require(name);
    await this.#command(name, { type: "stop" });
    this.#options.log.info(`'${by}' stopped the recording '${name}'`);
  }

  async remove(name: string, file: { host?: string; file: string } | null, by: string): Promise<void> {
    this.#require(name);
    const reports = this.#hosts.reports(name);
    if (file === null && [...reports.values()].some(({ state }) => state === "recording"))
      throw new MgrError("conflict", `the recording '${name}' is running: stop it first`);
    const hosts = file === null ? [...reports.keys()] : [file.host ?? hostOf(file.file, reports)];
    for (const host of hosts) {
      await this.#commands.deleteAt(host, name, file?.file ?? null);
      if (file === null) this.#hosts.get(host)?.reports.delete(name);
    }
    this.#options.log.info(`'${by}' deleted ${file === null ? `the recording '${name}'` : `${file.file} of the recording '${name}'`}`);
    this.#upserts.publish(name);
  }

  open(name: string, host: string, file: string): Promise<RecordedFileReader> {
    return this.#commands.open(host, name, file);
  }

  merge(name: string, signal: AbortSignal): Promise<DownloadedFile> {
    return this.#downloads.write(signal, async (makeFolder, either) => {
      this.#require(name);
      const recording = this.#resource(name);
      if (recording.files.length === 0) throw new MgrError("not_found", `the recording '${name}' has no files yet`);
      const open = (host: string, file: string) => this.#commands.open(host, name, file);
      const warn = (msg: string) => this.#options.log.warn(msg);
      const minFreeSpace = this.#options.settings().min_free_space;
      return writeMerged({ recording, open, folder: await makeFolder(), minFreeSpace, warn, signal: either });
    });
  }

  /** Adds an entry to the recordings that include its kind. */
  note(kind: RecordingNote["kind"], value: unknown): void {
    this.#notes.add(kind, value);
  }

  /** Called after each step of a recording's actor. */
  stepped(name: string): void {
    this.#upserts.publish(name);
  }

  close(): void {
    this.#options.clocks.need(CLOCKS_NEEDED_BY, false);
    this.#downloads.close();
    this.#notes.close();
    this.#hosts.close();
    this.#upserts.close();
  }

  #reported(host: string, names: ReadonlySet<string>, isWhole: boolean): void {
    const missing = isWhole ? this.#missingAt(host) : new Map<string, RecordingSpec>();
    // A recording that a new daemon is about to continue has not ended.
    for (const name of names) if (!missing.has(name)) this.#reportToActor(name);
    for (const [name, spec] of missing) void this.#join(host, name, spec);
    if (isWhole && host === this.#options.localHost) void this.#autostart();
  }

  /** Running recordings that a host does not record because the host or its daemon was absent when they began. */
  #missingAt(host: string): Map<string, RecordingSpec> {
    const missing = new Map<string, RecordingSpec>();
    const names = new Set([...this.#names(), ...this.#upserts.names()]);
    for (const name of names) {
      const report = this.#hosts.get(host)?.reports.get(name);
      // A daemon that ended a recording itself had a reason, such as a full disk.
      const isFresh = report === undefined || (report.state === "stopped" && report.started_at === null);
      if (!isFresh || this.#stateOf(name).state !== "recording") continue;
      const running = [...this.#hosts.reports(name).values()].find(({ state }) => state === "recording");
      const started = specOf(this.#options.system.get("recording", name)?.getSnapshot().context.spec);
      const spec = started ?? running?.spec ?? report?.spec;
      if (spec !== undefined) missing.set(name, spec);
    }
    return missing;
  }

  async #join(host: string, name: string, spec: RecordingSpec): Promise<void> {
    try {
      await this.#commands.startAt(host, spec);
    } catch (error) {
      this.#options.log.warn(`host '${host}' does not record '${name}': ${messageOf(error)}`);
      this.#reportToActor(name);
    }
  }

  /** Starts the configured recording once in the life of a manager, if `autostart` is set. */
  async #autostart(): Promise<void> {
    const settings = this.#options.settings();
    if (this.#isAutostarted || !settings.autostart) return;
    this.#isAutostarted = true;
    if (this.#stateOf(CONFIGURED).state === "recording") return;
    await this.#begin(recordingSpec({ name: CONFIGURED }, settings)).catch((error: unknown) => this.#options.log.warn(messageOf(error)));
  }

  async #begin(spec: RecordingSpec): Promise<void> {
    const problem = await this.#command(spec.name, { type: "start", spec });
    if (problem !== null) throw new MgrError("conflict", problem);
    if (this.#stateOf(spec.name).state === "idle")
      throw new MgrError("conflict", `the recording '${spec.name}' was stopped while it started`);
  }

  /** Sends a command and waits until the actor has carried it out; resolves with its problem. */
  async #command(name: string, event: RecordingMachineEvent): Promise<string | null> {
    const actor = this.#actor(name);
    this.#options.system.send("recording", name, event);
    const isAtRest = await untilState(actor, () => !["starting", "stopping"].includes(actor.getSnapshot().value));
    if (!isAtRest) throw new MgrError("internal", `it is not known what became of the recording '${name}': look at it, then try again`);
    const { value, context } = actor.getSnapshot();
    return value === "error" ? context.problem : null;
  }

  #actor(name: string): RecordingActor {
    const { system } = this.#options;
    const known = system.get("recording", name);
    if (known !== undefined) return known;
    const machine = recordingMachine.provide({
      actors: {
        start: fromPromise(async ({ input }) => {
          const spec = specOf(input.spec);
          if (spec !== null) await this.#commands.startEverywhere(spec);
        }),
        stop: fromPromise(({ input }) => this.#commands.stopEverywhere(input.name)),
      },
    });
    system.spawn("recording", name, () => ({ machine, input: { name } }));
    const actor = system.get("recording", name);
    if (actor === undefined) throw new MgrError("internal", `the recording '${name}' has failed too often; restart the manager`);
    return actor;
  }

  /** Sends the reports of the hosts to the actor. */
  #reportToActor(name: string): void {
    const reports = [...this.#hosts.reports(name).values()];
    if (reports.length > 0) this.#actor(name);
    const isRecording = reports.some(({ state }) => state === "recording");
    const problem = reports.find((report) => report.problem !== null)?.problem ?? null;
    this.#options.system.send("recording", name, { type: "reported", isRecording, problem });
    // The hosts write their offsets into the files.
    this.#options.clocks.need(CLOCKS_NEEDED_BY, this.#hosts.isRecording);
    this.#upserts.publish(name);
  }

  /** Recordings that a host has, or that are about to begin. */
  #names(): string[] {
    const names = this.#hosts.names();
    for (const name of this.#upserts.names()) {
      const { state } = this.#stateOf(name);
      if (state !== "idle" && state !== "error") names.add(name);
    }
    return [...names].sort();
  }

  #resource(name: string): Recording {
    return recordingResource(name, this.#stateOf(name), this.#hosts.reports(name));
  }

  #stateOf(name: string): Pick<Recording, "state" | "problem"> {
    const snapshot = this.#options.system.get("recording", name)?.getSnapshot();
    return snapshot === undefined ? { state: "idle", problem: null } : { state: snapshot.value, problem: snapshot.context.problem };
  }

  #require(name: string): void {
    if (!this.#names().includes(name)) throw new MgrError("not_found", `there is no recording '${name}'`);
  }

  #needsNotes(): boolean {
    const reports = this.#hosts.get(this.#options.localHost)?.reports.values() ?? [];
    return [...reports].some(({ state, spec }) => state === "recording" && spec.include.some((kind) => kind !== "processes"));
  }
}

function hostOf(file: string, reports: ReadonlyMap<string, RecordingReport>): string {
  const found = [...reports].find(([, { files }]) => files.some((known) => known.file === file));
  if (found === undefined) throw new MgrError("not_found", `there is no file '${file}' of this recording`);
  return found[0];
}

/** The spec that `#begin` has sent to the actor. */
function specOf(started: StartedRecording | null | undefined): RecordingSpec | null {
  return (started ?? null) as RecordingSpec | null;
}
