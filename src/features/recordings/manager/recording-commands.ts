import { resolve } from "node:path";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { MAX_PART_BYTES } from "../../../contract/pages.ts";
import type { RecordingNote, RecordingSpec } from "../contract.ts";
import type { RecordingHosts } from "./recording-hosts.ts";
import type { RecordedFileReader } from "./recordings.ts";

interface RecordingCommandsOptions {
  readonly hosts: RecordingHosts;
  readonly localHost: string;
  /** Base folder of relative paths of the configuration, on this machine. */
  readonly baseDir: () => string;
  readonly warn: (msg: string) => void;
}

/** Requests of the manager to the hosts that record. */
export class RecordingCommands {
  readonly #options: RecordingCommandsOptions;
  /** Starts since the last stop, by recording and host: a host's report may come later than its answer. */
  readonly #starts = new Map<string, ReadonlyMap<string, Promise<void>>>();

  constructor(options: RecordingCommandsOptions) {
    this.#options = options;
  }

  /** Resolves when at least one host records. */
  async startEverywhere(spec: RecordingSpec): Promise<void> {
    const hosts = [...this.#options.hosts.ready];
    if (hosts.length === 0) throw new MgrError("host_unavailable", "no host can be reached: try again when one is connected (`mgr hosts`)");
    const results = await Promise.allSettled(hosts.map((host) => this.startAt(host, spec)));
    const refused = results.flatMap((result) => (result.status === "rejected" ? [messageOf(result.reason)] : []));
    if (refused.length === hosts.length) throw new MgrError("conflict", refused[0] ?? "no host records it");
    for (const reason of refused) this.#options.warn(`'${spec.name}' is not recorded everywhere: ${reason}`);
  }

  startAt(host: string, spec: RecordingSpec): Promise<void> {
    const start = this.#startAt(host, spec);
    this.#starts.set(spec.name, new Map(this.#starts.get(spec.name)).set(host, start));
    return start;
  }

  async #startAt(host: string, spec: RecordingSpec): Promise<void> {
    const { hosts, localHost, baseDir } = this.#options;
    const { session } = hosts.require(host);
    const path = spec.path === null ? null : resolve(baseDir(), spec.path);
    const own = host === localHost ? { ...spec, path } : { ...spec, include: spec.include.filter((kind) => kind === "processes") };
    await session.command((id) => session.link.request("record_start", { session: id, spec: own }));
  }

  /** Resolves when all files are complete. */
  async stopEverywhere(name: string): Promise<void> {
    const { hosts } = this.#options;
    // A host whose start is under way has not reported yet that it records.
    const starts = this.#starts.get(name) ?? new Map<string, Promise<void>>();
    this.#starts.delete(name);
    await Promise.allSettled(starts.values());
    const recording = [...hosts.reports(name)].filter(([, { state }]) => state === "recording").map(([host]) => host);
    const started = [...starts.keys()].filter((host) => hosts.ready.has(host));
    await Promise.all([...new Set([...recording, ...started])].map((host) => this.#stopAt(host, name)));
  }

  async #stopAt(host: string, name: string): Promise<void> {
    const { session } = this.#options.hosts.require(host);
    try {
      await session.command((id) => session.link.request("record_stop", { session: id, name }));
    } catch (error) {
      // The host refused the start.
      if (!(error instanceof MgrError) || error.code !== "not_found") throw error;
    }
  }

  /** Deletes a file of a recording; null: the whole recording. */
  async deleteAt(host: string, name: string, file: string | null): Promise<void> {
    const { session } = this.#options.hosts.require(host);
    await session.command((id) => session.link.request("record_delete", { session: id, name, file }));
    if (file === null) this.#starts.delete(name);
  }

  async open(host: string, name: string, file: string): Promise<RecordedFileReader> {
    const { session } = this.#options.hosts.require(host);
    const read = (from: number, max: number) =>
      session.command((id) => session.link.request("record_read", { session: id, name, file, from, max: Math.min(max, MAX_PART_BYTES) }));
    const { size } = await read(0, 0);
    return { size, read: async (from, max) => (await read(from, max)).data };
  }

  /** Sends notes to the manager's own host, if it is connected. */
  sendNotes(notes: RecordingNote[]): void {
    const { hosts, localHost } = this.#options;
    const session = hosts.get(localHost)?.session;
    if (session?.isOpen) session.command((id) => session.link.request("record_notes", { session: id, notes })).catch(() => undefined);
  }
}
