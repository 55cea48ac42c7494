import { RotatedFile } from "./rotated-file.ts";

/** Number of the level of warnings in pino. */
const WARNING = 40;

interface JsonFileOptions {
  /** Source of the entry that reports lost lines. */
  source: string;
  /** Maximum size of each of the two files, bytes. */
  maxBytes?: number | undefined;
}

/** A log file of JSON lines, one entry per line. */
export interface JsonFile {
  readonly file: Pick<RotatedFile, "write">;
  /** Writes what is queued, and waits for the disk: the program is about to end. */
  flush(): void;
  /** Resolves when everything is written, or the time limit for it is over. */
  close(): Promise<void>;
}

/**
 * Opens a log file; with its predecessor `<path>.1` it uses at most 20 MiB. Callers never wait for the disk: if it is full or does not
 * respond, lines are lost, and the file reports their number as an entry of `source`. Lines written before an exit are on disk after it.
 */
export function openJsonFile(path: string, { source, maxBytes }: JsonFileOptions): JsonFile {
  const lostLine = (count: number) => {
    const msg = `${count} lines could not be written: the disk was full or did not respond`;
    return `${JSON.stringify({ level: WARNING, time: new Date().toISOString(), pid: process.pid, source, msg })}\n`;
  };
  const file = new RotatedFile({ path, lostLine, maxBytes });
  // The last lines of a program explain its end.
  const flush = () => file.flushNow();
  process.on("exit", flush);
  const close = () => {
    process.off("exit", flush);
    return file.close();
  };
  return { file, flush, close };
}
