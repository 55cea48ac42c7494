import type { Dirent } from "node:fs";
import { readdir, rm } from "node:fs/promises";
import { join } from "node:path";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { SerialQueue } from "../../../base/timing/serial-queue.ts";
import { writeFileAtomically } from "../../../files/replace-file.ts";
import { readStateBytes } from "../../../files/state-file.ts";
import { makeStateFolder } from "../../../files/state-folder.ts";
import { MAX_REPORTS } from "../limits.ts";
import { type CrashReport, type CrashSummary, type StoredSummary, storedSummary } from "../report.ts";
import { decodeReport, encodeReport, FILE_NAME, fileNameOf, PARTIAL_NAME, readSummary } from "./report-file.ts";

/** Size of the reports of one process, and of a host, bytes. */
const MAX_PROCESS_BYTES = 4 * 1024 * 1024;
const MAX_HOST_BYTES = 64 * 1024 * 1024;
/** Reports of a host: thousands of processes may have one each. */
const MAX_HOST_REPORTS = 4_000;
/** Reports that the disk has refused are kept in memory up to this size, bytes. */
const MAX_MEMORY_BYTES = 8 * 1024 * 1024;

export interface ReportStoreOptions {
  /** Null: reports are kept in memory. */
  readonly folder: string | null;
  readonly log: (level: "warning" | "info", msg: string) => void;
  readonly maxHostBytes?: number;
  /** Replaces a file as a whole. */
  readonly write?: (path: string, content: string) => Promise<unknown>;
}

interface Entry {
  summary: StoredSummary;
  size: number;
  /** The content, if it is not on the disk. */
  text: string | null;
}

/** The crash reports of a host: files of its state folder, or in memory. The newest of each process are kept, within a bound of space. */
export class ReportStore {
  readonly #options: ReportStoreOptions;
  /** By the name of the process, oldest first. */
  readonly #entries = new Map<string, Entry[]>();
  readonly #queue = new SerialQueue();
  #isFailing = false;

  constructor(options: ReportStoreOptions) {
    this.#options = options;
  }

  /** Finds the reports of earlier daemons. Never rejects. */
  begin(): Promise<void> {
    const { folder } = this.#options;
    if (folder === null) return Promise.resolve();
    return this.#queue.run(async () => {
      try {
        makeStateFolder(folder);
        for (const found of await readdir(folder, { withFileTypes: true })) await this.#find(folder, found);
        for (const entries of this.#entries.values()) entries.sort((a, b) => (a.summary.time < b.summary.time ? -1 : 1));
        for (const name of [...this.#entries.keys()]) await this.#fitProcess(name);
        await this.#fitHost();
      } catch (error) {
        this.#failed(error);
      }
    });
  }

  /** Keeps a report, in place of the one of the same run. Never rejects. */
  add(report: CrashReport): Promise<CrashSummary> {
    return this.#queue.run(async () => {
      const text = encodeReport(report);
      const entry: Entry = { summary: storedSummary.parse(report), size: Buffer.byteLength(text), text };
      const { name } = report;
      const entries = this.#entries.get(name) ?? [];
      const others = entries.filter(({ summary }) => summary.run_id !== report.run_id);
      this.#entries.set(name, [...others, entry]);
      await this.#write(entry, text);
      await this.#fitProcess(name);
      await this.#fitHost();
      return summaryOf(entry);
    });
  }

  /** Summaries of processes, newest first. */
  list(isWanted: (name: string) => boolean, limit: number): Promise<CrashSummary[]> {
    return this.#queue.run(() =>
      [...this.#entries]
        .flatMap(([name, entries]) => (isWanted(name) ? entries.map(summaryOf) : []))
        .sort((a, b) => (a.time === b.time ? 0 : a.time < b.time ? 1 : -1))
        .slice(0, limit),
    );
  }

  /** A report; `run_id` null: the newest of the process. Null: there is none. Rejects with `conflict` if its file is damaged. */
  read(name: string, run_id: string | null): Promise<CrashReport | null> {
    return this.#queue.run(async () => {
      const entry = this.#entries.get(name)?.findLast(({ summary }) => run_id === null || summary.run_id === run_id);
      if (entry === undefined) return null;
      const text = entry.text ?? (await this.#read(entry));
      if (text !== null) return decodeReport(text);
      // The file was removed by hand.
      this.#forget(entry);
      return null;
    });
  }

  /** Deletes reports of a process; null: all. Returns how many there were. */
  remove(name: string, run_ids: readonly string[] | null): Promise<number> {
    return this.#queue.run(async () => {
      const removed = (this.#entries.get(name) ?? []).filter(({ summary }) => run_ids === null || run_ids.includes(summary.run_id));
      for (const entry of removed) await this.#remove(entry);
      return removed.length;
    });
  }

  /** Resolves when everything is written. */
  close(): Promise<void> {
    return this.#queue.run(() => {});
  }

  async #find(folder: string, found: Dirent): Promise<void> {
    const path = join(folder, found.name);
    try {
      if (PARTIAL_NAME.test(found.name)) return await rm(path);
      if (!FILE_NAME.test(found.name)) return;
      const { summary, size } = await readSummary(path);
      if (fileNameOf(summary) !== found.name) throw new MgrError("conflict", `${path} is not the report that its name says`);
      this.#entries.set(summary.name, [...(this.#entries.get(summary.name) ?? []), { summary, size, text: null }]);
    } catch (error) {
      this.#options.log("warning", `a crash report is left out: ${messageOf(error)}`);
    }
  }

  async #read(entry: Entry): Promise<string | null> {
    const bytes = await readStateBytes(this.#pathOf(entry) ?? "");
    return bytes?.toString("utf8") ?? null;
  }

  async #write(entry: Entry, text: string): Promise<void> {
    const { write = writeFileAtomically, folder, log } = this.#options;
    const path = this.#pathOf(entry);
    if (path === null || folder === null) return;
    try {
      // The folder may have been removed by hand.
      makeStateFolder(folder);
      await write(path, text);
      entry.text = null;
      if (this.#isFailing) log("info", `crash reports are written to ${folder} again`);
      this.#isFailing = false;
    } catch (error) {
      this.#failed(error);
    }
  }

  #failed(error: unknown): void {
    const { folder, log } = this.#options;
    if (!this.#isFailing)
      log("warning", `crash reports cannot be kept in ${folder}: ${messageOf(error)}. New ones stay in memory until the daemon ends`);
    this.#isFailing = true;
  }

  async #fitProcess(name: string): Promise<void> {
    for (;;) {
      const entries = this.#entries.get(name) ?? [];
      const [oldest] = entries;
      if (oldest === undefined || (entries.length <= MAX_REPORTS && (entries.length === 1 || bytesOf(entries) <= MAX_PROCESS_BYTES)))
        return;
      await this.#remove(oldest);
    }
  }

  /** The process with the largest reports loses its oldest one. */
  async #fitHost(): Promise<void> {
    const { maxHostBytes = MAX_HOST_BYTES } = this.#options;
    for (;;) {
      const all = [...this.#entries.values()];
      const inMemory = all.flat().filter(({ text }) => text !== null);
      const isTooMuchMemory = bytesOf(inMemory) > MAX_MEMORY_BYTES;
      const isTooMuch = bytesOf(all.flat()) > maxHostBytes || all.flat().length > MAX_HOST_REPORTS;
      if (!isTooMuch && !isTooMuchMemory) return;
      const candidates = isTooMuchMemory ? all.map((entries) => entries.filter(({ text }) => text !== null)) : all;
      const greediest = candidates.reduce((most, entries) => (bytesOf(entries) > bytesOf(most) ? entries : most), []);
      const [oldest] = greediest;
      if (oldest === undefined) return;
      await this.#remove(oldest);
    }
  }

  async #remove(entry: Entry): Promise<void> {
    const path = this.#pathOf(entry);
    this.#forget(entry);
    if (path === null) return;
    try {
      await rm(path, { force: true });
    } catch (error) {
      this.#failed(error);
    }
  }

  #forget(entry: Entry): void {
    const { name } = entry.summary;
    const left = (this.#entries.get(name) ?? []).filter((each) => each !== entry);
    if (left.length === 0) this.#entries.delete(name);
    else this.#entries.set(name, left);
  }

  #pathOf({ summary }: Entry): string | null {
    const { folder } = this.#options;
    return folder === null ? null : join(folder, fileNameOf(summary));
  }
}

const bytesOf = (entries: readonly Entry[]): number => entries.reduce((sum, { size }) => sum + size, 0);
const summaryOf = ({ summary, size }: Entry): CrashSummary => ({ ...summary, size });
