import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import { messageOf } from "../../base/errors.ts";
import type { LoggerDefinition, LoggerSettings } from "../../config/definition.ts";
import { loggerSpec } from "../../contract/loggers.ts";
import type { StateFiles } from "../state/state-files.ts";

const FILE = "loggers.json";

/** A logger as it is wanted. */
export interface WantedLogger extends LoggerDefinition {
  readonly is_started: boolean;
}

const changedLogger = loggerSpec.extend({
  /** Hash of the entry in the configuration that it differs from; null: there was none. */
  entry: z.string().nullable(),
  is_deleted: z.boolean(),
});
type ChangedLogger = z.infer<typeof changedLogger>;
const changedLoggers = z.object({ loggers: z.array(changedLogger) });

/** Where what was changed at run time is kept. */
export interface LoggerFile {
  readonly changed: readonly ChangedLogger[];
  save(changed: readonly ChangedLogger[]): Promise<void>;
}

export const noLoggerFile: LoggerFile = { changed: [], save: () => Promise.resolve() };

/** `loggers.json` in the state folder. A damaged one is replaced with the next change. */
export async function openLoggerFile(files: StateFiles, warn: (msg: string) => void): Promise<LoggerFile> {
  const read = async (): Promise<readonly ChangedLogger[]> => {
    try {
      return changedLoggers.parse(JSON.parse(await readFile(files.path(FILE), "utf8"))).loggers;
    } catch (error) {
      if (error instanceof Error && "code" in error && error.code === "ENOENT") return [];
      warn(`${files.path(FILE)} cannot be read, loggers that were made at run time are lost: ${messageOf(error)}`);
      return [];
    }
  };
  return {
    changed: await read(),
    save: (loggers) =>
      files
        .write(FILE, `${JSON.stringify({ loggers }, null, 1)}\n`)
        .catch((error: unknown) => warn(`loggers could not be saved, a restart would forget the last change: ${messageOf(error)}`)),
  };
}

/** All loggers: those of the configuration, and what was changed at run time, which holds until the logger's entry in the configuration changes. */
export class LoggerBook {
  readonly #file: LoggerFile;
  readonly #settings: () => LoggerSettings;
  readonly #changed: Map<string, ChangedLogger>;

  constructor(file: LoggerFile, settings: () => LoggerSettings) {
    this.#file = file;
    this.#settings = settings;
    this.#changed = new Map(file.changed.map((logger) => [logger.name, logger]));
  }

  names(): string[] {
    const names = new Set([...this.#settings().named.keys(), ...this.#changed.keys()]);
    return [...names].filter((name) => this.get(name) !== null).sort();
  }

  get(name: string): WantedLogger | null {
    const changed = this.#changed.get(name);
    if (changed !== undefined && changed.entry === this.#entry(name))
      return changed.is_deleted ? null : { only_ts: changed.only_ts, topics: changed.topics, is_started: changed.is_started };
    const entry = this.#settings().named.get(name);
    return entry === undefined ? null : { only_ts: entry.only_ts, topics: entry.topics, is_started: entry.autostart };
  }

  /** Resolves when it is on disk, or cannot be saved, which is logged. */
  set(name: string, { only_ts, topics, is_started }: WantedLogger): Promise<void> {
    return this.#change({ name, only_ts, topics: [...topics], is_started, is_deleted: false, entry: this.#entry(name) });
  }

  delete(name: string): Promise<void> {
    const entry = this.#entry(name);
    if (entry !== null) return this.#change({ name, only_ts: false, topics: [], is_started: false, is_deleted: true, entry });
    this.#changed.delete(name);
    return this.#save();
  }

  #change(logger: ChangedLogger): Promise<void> {
    if (isDeepStrictEqual(this.#changed.get(logger.name), logger)) return Promise.resolve();
    this.#changed.set(logger.name, logger);
    return this.#save();
  }

  #save(): Promise<void> {
    for (const [name, { entry }] of this.#changed) if (entry !== this.#entry(name)) this.#changed.delete(name);
    return this.#file.save([...this.#changed.values()]);
  }

  #entry(name: string): string | null {
    const entry = this.#settings().named.get(name);
    return entry === undefined ? null : createHash("sha256").update(JSON.stringify(entry)).digest("hex");
  }
}
