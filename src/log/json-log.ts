import { type Logger, pino, stdTimeFunctions } from "pino";
import type { LogLevel } from "../protocol/resources/log-level.ts";
import { type JsonFile, openJsonFile } from "./json-file.ts";

/** Names of log levels in pino. */
export const PINO_LEVELS = { debug: "debug", info: "info", warning: "warn", error: "error" } as const;

/** Opens a log file for a program that logs by pino, from level `info` on. `source`: as in `openJsonFile`. */
export function openJsonLog(path: string, source: string): { readonly logger: Logger; readonly flush: JsonFile["flush"] } {
  const { file, flush } = openJsonFile(path, { source });
  const logger = pino({ level: "info", base: { pid: process.pid }, timestamp: stdTimeFunctions.isoTime }, file);
  return { logger, flush };
}

/** Returns a function that makes the line of an entry by pino. `time`: of the entry, UTC, ISO 8601. */
export function lineMaker(): (entry: { level: LogLevel; time: string; msg: string }, fields: object) => string {
  let [now, made] = ["", ""];
  const keep = (line: string) => {
    made = line;
  };
  const logger = pino({ level: "debug", base: { pid: process.pid }, timestamp: () => `,"time":"${now}"` }, { write: keep });
  return ({ level, time, msg }, fields) => {
    now = time;
    logger[PINO_LEVELS[level]](fields, msg);
    return made;
  };
}
