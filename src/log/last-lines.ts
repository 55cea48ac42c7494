import { constants } from "node:fs";
import { open } from "node:fs/promises";

/**
 * The values of the last JSON lines of a rotated file and its predecessor `<path>.1`, oldest first, as many as stand in the last
 * `maxBytes` of them. A file that is missing or cannot be read counts as empty, and a line that is no JSON is left out.
 */
export async function readLastLines(path: string, maxBytes: number): Promise<unknown[]> {
  const newest = await lastBytes(path, maxBytes);
  const before = newest.length < maxBytes ? await lastBytes(`${path}.1`, maxBytes - newest.length) : "";
  return [before, newest].flatMap((text) => text.split("\n").flatMap(parsed));
}

async function lastBytes(path: string, maxBytes: number): Promise<string> {
  try {
    // Non-blocking: a named pipe would hold the manager up.
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
