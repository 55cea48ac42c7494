import { closeSync, constants, fstatSync, readSync } from "node:fs";
import { openStateFile } from "./state-file.ts";

/** The end of the text of a state file, without the bytes before `from`, and of `maxBytes` at most. Throws as `openStateFile` does. */
export function stateFileTail(path: string, from: number, maxBytes: number): string {
  const fd = openStateFile(path, constants.O_RDONLY);
  try {
    const { size } = fstatSync(fd);
    const start = Math.max(from, size - maxBytes);
    const bytes = Buffer.alloc(Math.max(0, size - start));
    const length = readSync(fd, bytes, 0, bytes.length, start);
    return bytes.toString("utf8", 0, length).trim();
  } finally {
    closeSync(fd);
  }
}
