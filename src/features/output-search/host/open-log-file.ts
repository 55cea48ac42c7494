import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { isMissing } from "../../../files/state-file.ts";

/** Most files of one process that are searched, the newest first. */
export const MAX_FILES = 100;
/** A named pipe must not wait for a writer, and a link that another user may have put here must not lead elsewhere. */
const FLAGS = constants.O_RDONLY | constants.O_NONBLOCK | constants.O_NOFOLLOW | constants.O_NOCTTY;

/** A log file as it was when it was opened. */
export interface OpenLogFile {
  readonly path: string;
  readonly handle: FileHandle;
  readonly size: number;
  /** When it was last written, milliseconds since 1970. */
  readonly modified: number;
}

/** Opens a log file and its rotated files, the oldest first. What cannot be searched is reported to `onProblem`; missing files are normal. */
export async function openLogFiles(
  { path, max_files }: { path: string; max_files: number },
  onProblem: (problem: string) => void,
): Promise<OpenLogFile[]> {
  const files: OpenLogFile[] = [];
  for (let number = 0; number < Math.min(max_files, MAX_FILES); number++) {
    const each = number === 0 ? path : `${path}.${number}`;
    const file = await openLogFile(each).catch((error: NodeJS.ErrnoException) => {
      if (!isMissing(error)) onProblem(`${each} was not searched: ${reasonOf(error)}`);
      return null;
    });
    if (file !== null) files.unshift(file);
  }
  return files;
}

async function openLogFile(path: string): Promise<OpenLogFile> {
  const handle = await open(path, FLAGS);
  try {
    const stats = await handle.stat();
    if (!stats.isFile()) throw new Error("it is not a regular file");
    return { path, handle, size: stats.size, modified: stats.mtimeMs };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

function reasonOf({ code, message }: NodeJS.ErrnoException): string {
  return code === "ELOOP" ? "it is a symbolic link. Configure the path that it leads to as log_file" : message;
}
