import { open } from "node:fs/promises";
import { join } from "node:path";
import { MgrError } from "../../../base/errors.ts";
import { bytesText } from "../../../client/shown/units.ts";
import { freeSpace } from "../../../files/free-space.ts";
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
  /** Free space that is left on the disk of the folder, bytes. */
  readonly minFreeSpace: number;
  readonly warn: (msg: string) => void;
  readonly signal: AbortSignal;
}

/**
 * Copies all files of a recording from their hosts, one after the other, and merges them. Resolves with the path of the file. Rejects with `internal` if the
 * disk has too little space, as reads from hosts do, as `mergeInWorker` does, and with the signal's reason.
 */
export async function writeMerged({ recording, open, folder, minFreeSpace, warn, signal }: MergedRecordingOptions): Promise<string> {
  const { name, files } = recording;
  await requireSpace(folder, files, minFreeSpace);
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

/** The copies and the merged file exist at the same time. */
async function requireSpace(folder: string, files: Recording["files"], minFreeSpace: number): Promise<void> {
  const needed = 2 * files.reduce((sum, { size }) => sum + size, 0);
  const free = await freeSpace(folder);
  if (free - needed >= minFreeSpace) return;
  throw new MgrError(
    "internal",
    `the files as one need ${bytesText(needed)} beside min_free_space (${bytesText(minFreeSpace)}) on the disk of ${folder}, which has ` +
      `${bytesText(free)} free: make room there, or download the files one by one`,
  );
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
