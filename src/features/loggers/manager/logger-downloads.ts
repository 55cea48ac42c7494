import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type DownloadedFile, Downloads, writeInWorker } from "../../recordings/manager/index.ts";
import type { SpooledSamples } from "../../recordings/samples/worker/spooled-samples.ts";
import type { DownloadFormat } from "./loggers.ts";
import { type RingOnHost, spoolRing } from "./ring-spool.ts";

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

/** Writes the samples of loggers to files, which exist while they are sent. */
export class LoggerDownloads {
  readonly #downloads: Downloads;

  /** `folder`: null selects the system's folder for temporary files. */
  constructor(folder: string | null) {
    this.#downloads = new Downloads(folder, "logger");
  }

  /** Rejects with `busy`, `conflict`, `too_large`, `host_unavailable`, or with the reason of the signal that aborted it. */
  collect({ name, format, forSpreadsheets, signal: ended, rings, topics: empty }: Collection): Promise<DownloadedFile> {
    return this.#downloads.write(ended, async (folder, signal) => {
      const sources = await rings();
      const dir = await folder();
      const topics = await spoolAll(sources, dir, signal);
      if (topics.length === 0) topics.push(...(await emptySamples(empty(), join(dir, "empty"))));
      const path = join(dir, "download");
      await writeInWorker({ name, format, forSpreadsheets, path, topics }, signal);
      return path;
    });
  }

  /** Aborts the downloads under way. */
  close(): void {
    this.#downloads.close();
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
