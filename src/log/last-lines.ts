import { constants } from "node:fs";
import { MgrError } from "../base/errors.ts";
import { openStateFileAsync } from "../files/state-file.ts";

/**
 * Parses the last `maxBytes` of a rotated file and its predecessor `<path>.1` as JSON lines, oldest first. A file that is missing or cannot
 * be read counts as empty; lines that are not JSON are skipped. Rejects for a file that another user may have written (`openStateFile`).
 */
export async function readLastLines(path: string, maxBytes: number): Promise<unknown[]> {
  const newest = await lastBytes(path, maxBytes);
  const before = newest.length < maxBytes ? await lastBytes(`${path}.1`, maxBytes - newest.length) : "";
  return [before, newest].flatMap((text) => text.split("\n").flatMap(parsed));
}

async function lastBytes(path: string, maxBytes: number): Promise<string> {
  try {
    await using file = await openStateFileAsync(path, constants.O_RDONLY);
    const { size } = await file.stat();
    const start = Math.max(0, size - maxBytes);
    const buffer = Buffer.alloc(size - start);
    const { bytesRead } = await file.read(buffer, 0, buffer.length, start);
    const text = buffer.toString("utf8", 0, bytesRead);
    // The first line is whole only at the beginning of the file.
    return start === 0 ? text : text.slice(text.indexOf("\n") + 1);
  } catch (error) {
    if (error instanceof MgrError) throw error;
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
