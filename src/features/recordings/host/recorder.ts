import { open } from "node:fs/promises";
import { dirname, join, resolve } from "node:path";
import { z } from "zod";
import { MgrError, messageOf } from "../../../base/errors.ts";
import type { HandedOver } from "../../../base/handed-over.ts";
import { compileFnmatch } from "../../../base/patterns/fnmatch.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import type { RequestOf, ResponseOf } from "../../../contract/messages.ts";
import type { RunReport } from "../../../contract/run.ts";
import { KernelTimes } from "../../../daemon/handover/kernel-times.ts";
import { takenState } from "../../../daemon/handover/taken-state.ts";
import type { ListPages } from "../../../daemon/lists/list-pages.ts";
import { instanceUuid } from "../../../daemon/session/instance.ts";
import { readJsonState } from "../../../files/json-state-file.ts";
import { replaceFileSync } from "../../../files/replace-file.ts";
import { makeStateFolder } from "../../../files/state-folder.ts";
import type { Tap } from "../../data-plane/host/index.ts";
import { wallClockNs } from "../../data-plane/wall-clock.ts";
import type { OwnClock } from "../../host-clocks/host/index.ts";
import { MAX_RECORDINGS, type RecordingEvent, type RecordingSpec, recordingSpec } from "../contract.ts";
import { jsonEntry, lineEntry, logEntry, processEntry } from "./host-entries.ts";
import { Recording, type RecordingOptions } from "./recording.ts";
import { fileNamePart, type RecordingLog } from "./recording-folder.ts";
import { recorderState } from "./recording-state.ts";
import { TerminalLines } from "./terminal-lines.ts";

const STATE_FILE = "recordings.json";
const FOLDER = "recordings";
const saved = z.array(recordingSpec.extend({ is_recording: z.boolean(), started_at: z.number().nullable() })).max(MAX_RECORDINGS);
type SavedRecording = z.infer<typeof saved>[number];

interface RecorderOptions {
  readonly host: string;
  /** State folder of the daemon. */
  readonly stateDir: string;
  /** Base folder of relative paths. */
  readonly workDir: string;
  readonly tap: Pick<Tap, "add">;
  readonly clock: Clock;
  /** Offset of the host's clock from that of the manager. */
  readonly ownClock: OwnClock;
  readonly pages: Pick<ListPages, "of">;
  readonly log: RecordingLog;
  readonly send: (event: RecordingEvent) => void;
  /** State of the recorder of the program that this one replaces. */
  readonly taken?: HandedOver | undefined;
}

/** The recordings of one host: their states, their files, and the entries from the host itself. */
export class Recorder {
  readonly #options: RecorderOptions;
  readonly #recordings = new Map<string, Recording>();
  readonly #lines: TerminalLines;
  #seq = 0;
  /** Closed files of each recording as reported last: a report omits them if they have not changed. */
  readonly #reported = new Map<string, string>();
  /** Recordings that include the output of a process, by process; cleared when a recording changes. */
  readonly #terminals = new Map<string, readonly Recording[]>();
  /** Resolves when recordings of an earlier daemon have resumed: messages published from now on are recorded. Never rejects. */
  readonly resumed: Promise<void>;
  /** Resolves when the files of an earlier daemon are complete, too. */
  readonly #opened: Promise<void>;
  readonly #instance: string;
  /** The saved state of each recording. */
  readonly #savedStates = new Map<string, string>();

  constructor(options: RecorderOptions) {
    this.#options = options;
    this.#instance = instanceUuid(options.stateDir);
    this.#lines = new TerminalLines((name, line) => this.#terminalLine(name, line));
    const taken = takenState(options.taken, recorderState, options.log);
    if (taken !== null && options.taken !== undefined) {
      this.#adopt(taken, options.taken);
      this.resumed = Promise.resolve();
      this.#opened = this.resumed;
      return;
    }
    const warn = (msg: string) => options.log("error", msg);
    this.resumed = this.#resume(
      readJsonState(this.#stateFile, { schema: saved, empty: [], lost: "earlier recordings are not continued", warn }),
    );
    this.#opened = this.resumed.then(() => this.#complete());
  }

  /** Number of the last event. */
  get seq(): number {
    return this.#seq;
  }

  async start({ spec }: RequestOf<"record_start">): Promise<Record<string, never>> {
    await this.#opened;
    const known = this.#recordings.get(spec.name);
    if (known === undefined && this.#recordings.size >= MAX_RECORDINGS)
      throw new MgrError("busy", `this host has ${MAX_RECORDINGS} recordings already: delete one`);
    if (known?.isRecording) return {};
    if (known !== undefined && this.#folderOf(spec) !== known.folder.path) {
      const held = known.report.files.length;
      if (held > 0)
        throw new MgrError("conflict", `'${spec.name}' has ${held} files in ${known.folder.path}: delete it, or use another name`);
      this.#forget(spec.name);
    }
    const recording = this.#recordings.get(spec.name) ?? this.#add(spec);
    try {
      if (spec.path === null) makeStateFolder(this.#folderOf(spec));
      await recording.start(spec);
    } catch (error) {
      if (known === undefined) this.#forget(spec.name);
      throw error;
    }
    return {};
  }

  async stop({ name }: RequestOf<"record_stop">): Promise<Record<string, never>> {
    await this.#find(name).stop();
    return {};
  }

  async delete({ name, file }: RequestOf<"record_delete">): Promise<Record<string, never>> {
    await this.#opened;
    await this.#find(name).remove(file);
    if (file !== null) return {};
    this.#forget(name);
    this.#keep();
    this.#options.send({ seq: ++this.#seq, name, is_partial: false, recording: null });
    return {};
  }

  async list(): Promise<ResponseOf<"recordings">> {
    await this.#opened;
    const { seq } = this;
    const reports = [...this.#recordings.values()].map(({ report }) => report);
    return { ...this.#options.pages.of(reports), seq };
  }

  /** Paths of files of a recording; null: of all, the oldest first. Throws `not_found`. */
  pathsOf(name: string, files: readonly string[] | null): string[] {
    const recording = this.#find(name);
    return (files ?? recording.report.files.map(({ file }) => file)).map((file) => this.#pathOf(recording, file));
  }

  async read({ name, file, from, max }: RequestOf<"record_read">): Promise<ResponseOf<"record_read">> {
    await using handle = await open(this.#pathOf(this.#find(name), file), "r");
    const { size } = await handle.stat();
    const data = Buffer.alloc(Math.max(0, Math.min(max, size - from)));
    const { bytesRead } = await handle.read(data, 0, data.length, from);
    return { size, data: data.subarray(0, bytesRead) };
  }

  /** Records entries from the manager: its log, calls of services, parameters. */
  note({ notes }: RequestOf<"record_notes">): Record<string, never> {
    for (const { time, kind, value } of notes) {
      const message = (kind === "log" ? logEntry : jsonEntry)(`mgr/${kind}`, BigInt(time), value);
      for (const recording of this.#including(kind)) recording.recordMessage(message);
    }
    return {};
  }

  /** Records a change of a process of the host. */
  processChanged(kind: string, run: { readonly report: RunReport }): void {
    const included = this.#including("processes");
    if (included.length === 0) return;
    const message = processEntry(wallClockNs(), kind, run.report);
    for (const recording of included) recording.recordMessage(message);
  }

  /** Records bytes that a process wrote to its terminal. */
  output(name: string, bytes: Uint8Array): void {
    if (this.#terminalRecordings(name).length > 0) this.#lines.add(name, bytes);
  }

  /** Begins nothing new. Resolves when no operation on files is under way; rejects with `busy` if a disk is too slow. */
  async quiet(): Promise<void> {
    await Promise.all([...this.#recordings.values()].map((recording) => recording.quiet()));
  }

  resume(): void {
    for (const recording of this.#recordings.values()) recording.resume();
  }

  /** Hands over the recordings with their open files, and lines that have no end yet. */
  handOver(): HandedOver {
    const times = new KernelTimes(this.#options.clock);
    const handed = [...this.#recordings.values()].map((recording) => recording.handOver(times));
    return {
      state: { seq: this.#seq, recordings: handed.map(({ state }) => state), lines: this.#lines.begun },
      descriptors: Object.assign({}, ...handed.map(({ descriptors }) => descriptors)),
      bytes: Object.assign({}, ...handed.map(({ bytes }) => bytes)),
    };
  }

  #adopt({ seq, recordings, lines }: z.infer<typeof recorderState>, taken: HandedOver): void {
    const times = new KernelTimes(this.#options.clock);
    this.#seq = seq;
    for (const line of lines) this.#lines.adopt(line);
    for (const state of recordings) {
      this.#savedStates.set(state.spec.name, stateText(state.state === "recording", state.startedAt));
      const recording = this.#add(state.spec);
      try {
        recording.adopt(state, taken, times);
      } catch (error) {
        this.#unreadable(recording, error);
      }
    }
  }

  async close(): Promise<void> {
    await this.#opened;
    this.#lines.close();
    for (const recording of this.#recordings.values()) {
      await recording.stop();
      recording.folder.release();
    }
  }

  #forget(name: string): void {
    this.#recordings.get(name)?.folder.release();
    this.#recordings.delete(name);
    this.#reported.delete(name);
  }

  #including(kind: RecordingSpec["include"][number]): Recording[] {
    return [...this.#recordings.values()].filter(({ isRecording, spec }) => isRecording && spec.include.includes(kind));
  }

  async #resume(specs: readonly SavedRecording[]): Promise<void> {
    const opened = specs.map(async ({ is_recording: wasRecording, started_at: startedAt, ...spec }) => {
      this.#savedStates.set(spec.name, stateText(wasRecording, startedAt));
      const recording = this.#add(spec);
      await recording.open({ wasRecording, startedAt }).catch((error: unknown) => this.#unreadable(recording, error));
    });
    await Promise.all(opened);
  }

  async #complete(): Promise<void> {
    for (const recording of this.#recordings.values()) {
      await recording.completed.catch((error: unknown) => this.#unreadable(recording, error));
      this.#changed(recording);
    }
  }

  #unreadable({ name }: Recording, error: unknown): void {
    this.#options.log("error", `the recording '${name}' of the earlier daemon cannot be continued: ${messageOf(error)}`);
  }

  #add(spec: RecordingSpec): Recording {
    const { host, tap, clock, ownClock, log } = this.#options;
    const changed = (recording: Recording) => this.#changed(recording);
    const options: RecordingOptions = { host, instance: this.#instance, tap, clock, ownClock, log, changed };
    const recording = new Recording(spec, this.#folderOf(spec), options);
    this.#recordings.set(spec.name, recording);
    return recording;
  }

  #folderOf({ name, path }: RecordingSpec): string {
    const { stateDir, workDir } = this.#options;
    return join(path === null ? join(stateDir, FOLDER) : resolve(workDir, path), fileNamePart(name));
  }

  #pathOf({ report, folder }: Recording, file: string): string {
    const path = report.files.some((known) => known.file === file) ? folder.pathOf(file) : null;
    if (path === null) throw new MgrError("not_found", `'${report.name}' has no file '${file}' on this host`);
    return path;
  }

  #find(name: string): Recording {
    const recording = this.#recordings.get(name);
    if (recording === undefined) throw new MgrError("not_found", `this host has no recording '${name}'`);
    return recording;
  }

  #changed(recording: Recording): void {
    const { report, name } = recording;
    this.#terminals.clear();
    if (this.#recordings.get(name) !== recording) return;
    if (this.#savedStates.get(name) !== stateText(recording.isRecording, recording.startedAt)) this.#keep();
    const closed = report.files.filter(({ is_growing }) => !is_growing);
    const key = JSON.stringify(closed);
    const isPartial = this.#reported.get(name) === key;
    this.#reported.set(name, key);
    const sent = isPartial ? { ...report, files: report.files.filter(({ is_growing }) => is_growing) } : report;
    this.#options.send({ seq: ++this.#seq, name, is_partial: isPartial, recording: sent });
  }

  #terminalRecordings(process: string): readonly Recording[] {
    const known = this.#terminals.get(process);
    if (known !== undefined) return known;
    const found = [...this.#recordings.values()].filter(
      ({ isRecording, spec }) => isRecording && spec.terminals.some((pattern) => compileFnmatch(pattern)(process)),
    );
    this.#terminals.set(process, found);
    return found;
  }

  #terminalLine(process: string, text: string): void {
    const message = lineEntry(`mgr/terminals/${process}`, wallClockNs(), process, text);
    for (const recording of this.#terminalRecordings(process)) recording.recordMessage(message);
  }

  /** Saves the recordings and their states, so that the next daemon continues them. */
  #keep(): void {
    const recordings = [...this.#recordings.values()].map(
      ({ spec, isRecording, startedAt }): SavedRecording => ({ ...spec, is_recording: isRecording, started_at: startedAt }),
    );
    this.#savedStates.clear();
    for (const { name, is_recording, started_at } of recordings) this.#savedStates.set(name, stateText(is_recording, started_at));
    try {
      makeStateFolder(dirname(this.#stateFile));
      replaceFileSync(this.#stateFile, `${JSON.stringify(recordings)}\n`, { isDurable: false });
    } catch (error) {
      this.#options.log("error", `${this.#stateFile} cannot be written: ${messageOf(error)}`);
    }
  }

  get #stateFile(): string {
    return join(this.#options.stateDir, STATE_FILE);
  }
}

function stateText(isRecording: boolean, startedAt: number | null): string {
  return `${isRecording} ${startedAt}`;
}
