import { open } from "node:fs/promises";
import { join } from "node:path";
import type { Recording } from "../wire.ts";
import type { RecordedFileReader } from "./recordings.ts";
import { mergeInWorker } from "./write-in-worker.ts";

/** Number of bytes that are requested from a host at a time. */
const PIECE_BYTES = 256 * 1024;

interface MergedRecordingOptions {
  readonly recording: Pick<Recording, "name" | "files">;
  readonly open: (host: string, file: string) => Promise<RecordedFileReader>;
  /** An empty folder. */
  readonly folder: string;
  readonly warn: (msg: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Copies all files of a recording from their hosts, one after the other, and merges them. Resolves with the path of the file. Rejects as reads from hosts
 * do, as `mergeInWorker` does, and with the signal's reason.
 */
export async function writeMerged({ recording, open, folder, warn, signal }: MergedRecordingOptions): Promise<string> {
  const { name, files } = recording;
  const parts = [];
  for (const [index, { host, file }] of files.entries()) {
    const path = join(folder, `${index}.mcap`);
    await copy(await open(host, file), path, signal);
    parts.push({ path, host, offset: null, excluded: [] });
  }
  const path = join(folder, "merged.mcap");
  const { damaged } = await mergeInWorker({ path, parts, metadata: [], recording: { name, files: files.map(({ file }) => file) } }, signal);
  for (const { part, reason } of damaged) warn(`${files[part]?.file} is damaged, and not whole in the merged file of '${name}': ${reason}`);
  return path;
}

/** A file that grows is copied up to its present end. */
async function copy({ size, read }: RecordedFileReader, path: string, signal: AbortSignal): Promise<void> {
  await using file = await open(path, "wx", 0o600);
  for (let at = 0; at < size; ) {
    signal.throwIfAborted();
    const piece = await read(at, Math.min(PIECE_BYTES, size - at));
    // The host has cut it off, because its disk is full.
    if (piece.length === 0) return;
    await file.writeFile(piece);
    at += piece.length;
  }
}
