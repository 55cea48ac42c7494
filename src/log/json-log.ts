import { type Logger, pino, stdTimeFunctions } from "pino";
import { type JsonFile, openJsonFile } from "./json-file.ts";

/** Names of log levels in pino. */
export const PINO_LEVELS = { debug: "debug", info: "info", warning: "warn", error: "error" } as const;

/** Opens a log file for a program that logs by pino, from level `info` on. `source`: as in `openJsonFile`. */
export function openJsonLog(path: string, source: string): { readonly logger: Logger; readonly flush: JsonFile["flush"] } {
  const { file, flush } = openJsonFile(path, { source });
  const logger = pino({ level: "info", base: { pid: process.pid }, timestamp: stdTimeFunctions.isoTime }, file);
  return { logger, flush };
}
