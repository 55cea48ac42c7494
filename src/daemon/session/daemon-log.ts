import { type Logger, pino, stdTimeFunctions } from "pino";
import { RotatedFile } from "../../log/rotated-file.ts";

/**
 * A JSON log, one entry per line, that uses at most 20 MiB together with its predecessor `<path>.1`. Callers never wait for
 * the disk, but lines written before this program exits are on it afterwards.
 */
export function openLog(path: string): Logger {
  const lostLine = (count: number) =>
    `${JSON.stringify({ level: 40, time: new Date().toISOString(), pid: process.pid, msg: `${count} lines could not be written` })}\n`;
  const file = new RotatedFile({ path, lostLine });
  process.on("exit", () => file.flushNow());
  return pino({ base: { pid: process.pid }, timestamp: stdTimeFunctions.isoTime }, file);
}
