import { constants } from "node:fs";
import { open } from "node:fs/promises";

/**
 * Parses the last `maxBytes` of a rotated file and its predecessor `<path>.1` as JSON lines, oldest first. A file that is missing or cannot
 * be read counts as empty; lines that are not JSON are skipped.
 */
export async function readLastLines(path: string, maxBytes: number): Promise<unknown[]> {
  const newest = await lastBytes(path, maxBytes);
  const before = newest.length < maxBytes ? await lastBytes(`${path}.1`, maxBytes - newest.length) : "";
  return [before, newest].flatMap((text) => text.split("\n").flatMap(parsed));
}

async function lastBytes(path: string, maxBytes: number): Promise<string> {
  try {
    // Non-blocking: opening a named pipe would block the manager.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (!stats.isFile()) return "";
    const start = Math.max(0, stats.size - maxBytes);
    const buffer = Buffer.alloc(stats.size - start);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
    const text = buffer.toString("utf8", 0, bytesRead);
    // The first line is whole only at the beginning of the file.
    return start === 0 ? text : text.slice(text.indexOf("\n") + 1);
  } catch {
    return "";
  }
}

function parsed(line: string): unknown[] {
  if (line === "") return [];
  try {
    return [JSON.parse(line)];
  } catch {
    return [];
  }
}
