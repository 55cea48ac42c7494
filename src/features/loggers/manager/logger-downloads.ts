import { mkdir, mkdtemp, open, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { isDiskFull, MgrError, messageOf } from "../../../base/errors.ts";
import { writeInWorker } from "../../recordings/manager/index.ts";
import type { SpooledSamples } from "../../recordings/samples/worker/spooled-samples.ts";
import type { DownloadedFile, DownloadFormat } from "./loggers.ts";
import { type RingOnHost, spoolRing } from "./ring-spool.ts";

/** Maximum number of concurrent downloads: each keeps a processor and a disk busy. */
const MAX_DOWNLOADS = 2;

interface Collection {
  readonly name: string;
  readonly format: DownloadFormat;
  readonly forSpreadsheets: boolean;
  readonly signal: AbortSignal;
  /** Called when it is this download's turn. */
  readonly rings: () => Promise<readonly RingOnHost[]>;
  /** Content of the download if the rings are empty. */
  readonly topics: () => readonly EmptyTopic[];
}

/** A topic of a logger that has no samples. */
export type EmptyTopic = Omit<SpooledSamples, "count" | "missed" | "path" | "size">;

/** Removes files that downloads of a killed manager left in its state folder. */
export async function removeOldDownloads(stateDir: string): Promise<void> {
  await rm(downloadsFolder(stateDir), { recursive: true, force: true });
}

export function downloadsFolder(stateDir: string): string {
  return join(stateDir, "downloads");
}

/** Writes the samples of loggers to files, which exist while they are sent. */
export class LoggerDownloads {
  readonly #folder: string;
  readonly #end = new AbortController();
  #count = 0;

  /** `folder`: null selects the system's folder for temporary files. */
  constructor(folder: string | null) {
    this.#folder = folder ?? tmpdir();
  }

  /** Rejects with `busy`, `conflict`, `too_large`, `host_unavailable`, or with the reason of the signal that aborted it. */
  async collect({ name, format, forSpreadsheets, signal: ended, rings, topics: empty }: Collection): Promise<DownloadedFile> {
    if (this.#count >= MAX_DOWNLOADS)
      throw new MgrError("busy", `${MAX_DOWNLOADS} downloads of loggers are under way: try again when one of them is over`);
    this.#count++;
    const signal = AbortSignal.any([ended, this.#end.signal]);
    let dir: string | null = null;
    const remove = async () => {
      this.#count--;
      if (dir !== null) await rm(dir, { recursive: true, force: true });
    };
    try {
      const sources = await rings();
      signal.throwIfAborted();
      await mkdir(this.#folder, { recursive: true, mode: 0o700 });
      dir = await mkdtemp(join(this.#folder, "mgr-logger-"));
      const topics = await spoolAll(sources, dir, signal);
      if (topics.length === 0) topics.push(...(await emptySamples(empty(), join(dir, "empty"))));
      const path = join(dir, "download");
      await writeInWorker({ name, format, forSpreadsheets, path, topics }, signal);
      return await openDownload(path, dir, remove);
    } catch (error) {
      await remove();
      if (!isDiskFull(error)) throw error;
      throw new MgrError("internal", `the disk of ${this.#folder} is full: make room there, then download again (${messageOf(error)})`, {
        cause: error,
      });
    }
  }

  /** Aborts the downloads under way. */
  close(): void {
    this.#end.abort(new MgrError("shutting_down", "the manager is shutting down: download again when it is back"));
  }
}

async function spoolAll(rings: readonly RingOnHost[], dir: string, signal: AbortSignal): Promise<SpooledSamples[]> {
  const topics: SpooledSamples[] = [];
  const names = new Set<string>();
  for (const [index, ring] of rings.entries()) {
    const spooled = await spoolRing(ring, join(dir, `ring-${index}`), signal);
    if (spooled.count === 0) continue;
    // If a publisher moved to another host, its topic has two rings; formats have one entry for each name.
    let topic = spooled.topic;
    for (let number = 2; names.has(topic); number++) topic = `${spooled.topic} (${number})`;
    names.add(topic);
    topics.push({ ...spooled, topic });
  }
  return topics;
}

async function emptySamples(topics: readonly EmptyTopic[], path: string): Promise<SpooledSamples[]> {
  await writeFile(path, "");
  return topics.map((topic) => ({ ...topic, count: 0, missed: 0, path, size: 0 }));
}

async function openDownload(path: string, dir: string, remove: () => Promise<void>): Promise<DownloadedFile> {
  const file = await open(path, "r");
  // An open file stays readable without its name, so nothing is left on disk if the manager is killed while sending.
  await rm(dir, { recursive: true, force: true });
  const { size } = await file.stat();
  let isClosed = false;
  return {
    size,
    async read(from, max) {
      const { buffer, bytesRead } = await file.read(Buffer.alloc(Math.min(max, size - from)), 0, undefined, from);
      return buffer.subarray(0, bytesRead);
    },
    async close() {
      if (isClosed) return;
      isClosed = true;
      await file.close();
      await remove();
    },
  };
}
