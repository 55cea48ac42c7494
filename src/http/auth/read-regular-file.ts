import { type BigIntStats, closeSync, constants, fstatSync, openSync, readSync, statSync } from "node:fs";

export type FileRead =
  | { readonly ok: true; readonly content: Buffer; readonly stats: BigIntStats }
  | { readonly ok: false; readonly problem: "missing" | "unreadable" | "not_regular" | "too_large" | "refused"; readonly reason: string };

/**
 * Reads a small regular file without ever hanging: a FIFO or device is opened without waiting and then refused. For a symlink, its target
 * is checked. `refuse` checks the opened file itself, so that it cannot be swapped in between.
 */
export function readRegularFile(path: string, maxBytes: number, refuse: (stats: BigIntStats) => string | null): FileRead {
  let file: number;
  try {
    file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
  } catch (error) {
    const { code = "", message } = error as NodeJS.ErrnoException;
    return { ok: false, problem: code === "ENOENT" || code === "ENOTDIR" ? "missing" : "unreadable", reason: message };
  }
  try {
    const stats = fstatSync(file, { bigint: true });
    if (!stats.isFile()) return { ok: false, problem: "not_regular", reason: "not a regular file" };
    const reason = refuse(stats);
    if (reason !== null) return { ok: false, problem: "refused", reason };
    // The size may be wrong (/proc) or change meanwhile: reads until the end.
    const content = Buffer.alloc(Math.min(Number(stats.size), maxBytes) + 1);
    let length = 0;
    for (let count = -1; count !== 0 && length < content.length; length += count) {
      count = readSync(file, content, length, content.length - length, null);
    }
    if (length > maxBytes || stats.size > maxBytes) return { ok: false, problem: "too_large", reason: `larger than ${maxBytes} bytes` };
    return { ok: true, content: content.subarray(0, length), stats };
  } catch (error) {
    return { ok: false, problem: "unreadable", reason: (error as Error).message };
  } finally {
    closeSync(file);
  }
}

/** A file that changed this recently may change again without a new time stamp (kernel ticks are up to 10 ms), ms. */
const UNSETTLED_MS = 100;

/** An identity that differs whenever the file may have changed; null: always read it again. */
export function identityOf(path: string): string | null {
  let stats: BigIntStats;
  try {
    stats = statSync(path, { bigint: true });
  } catch {
    return null; // Reading the file gives the reason.
  }
  const { dev, ino, mode, uid, gid, size, mtimeNs, ctimeNs } = stats;
  const age = Date.now() - Number(stats.ctimeMs);
  return age < UNSETTLED_MS && age > -UNSETTLED_MS ? null : [dev, ino, mode, uid, gid, size, mtimeNs, ctimeNs].join(" ");
}
