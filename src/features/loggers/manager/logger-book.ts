import { createHash } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { JsonFile, StateFiles } from "../../../app/state/state-files.ts";
import type { LoggerDefinition, LoggerSettings } from "../config.ts";
import { loggerSpec } from "../contract.ts";

/** A logger as requested. */
export interface RequestedLogger extends LoggerDefinition {
  readonly is_started: boolean;
}

const changedLogger = loggerSpec.extend({
  /** Hash of the configuration entry that the logger differs from; null: there was none. */
  entry: z.string().nullable(),
  is_deleted: z.boolean(),
});
type ChangedLogger = z.infer<typeof changedLogger>;
/** A logger and a host that has samples of it. */
const holder = z.tuple([z.string(), z.string()]);
const loggerFile = z.object({ loggers: z.array(changedLogger), holders: z.array(holder) });
type LoggerFileContent = z.infer<typeof loggerFile>;

/** Storage of the changes made at run time. */
export type LoggerFile = JsonFile<Readonly<LoggerFileContent>>;

export const noLoggerFile: LoggerFile = { content: { loggers: [], holders: [] }, save: () => Promise.resolve() };

/** `loggers.json` in the state folder. */
export function openLoggerFile(files: StateFiles, warn: (msg: string) => void): LoggerFile {
  return files.json("loggers.json", {
    schema: loggerFile,
    empty: noLoggerFile.content,
    lost: "loggers that were made at run time are lost",
    unsaved: "loggers could not be saved, a restart would forget the last change",
    warn,
  });
}

/** All loggers: those of the configuration, and the changes made at run time, which hold until the logger's entry in the configuration changes. */
export class LoggerBook {
  readonly #file: LoggerFile;
  readonly #settings: () => LoggerSettings;
  readonly #changed: Map<string, ChangedLogger>;
  /** Hosts with samples, by logger: the next manager must know which hosts hold samples while they are lost. */
  readonly #holders = new Map<string, Set<string>>();

  constructor(file: LoggerFile, settings: () => LoggerSettings) {
    this.#file = file;
    this.#settings = settings;
    this.#changed = new Map(file.content.loggers.map((logger) => [logger.name, logger]));
    for (const [name, host] of file.content.holders) this.#holdersOf(name).add(host);
  }

  names(): string[] {
    const names = new Set([...this.#settings().named.keys(), ...this.#changed.keys()]);
    return [...names].filter((name) => this.get(name) !== null).sort();
  }

  get(name: string): RequestedLogger | null {
    const changed = this.#changed.get(name);
    if (changed !== undefined && changed.entry === this.#entry(name))
      return changed.is_deleted ? null : { only_ts: changed.only_ts, topics: changed.topics, is_started: changed.is_started };
    const entry = this.#settings().named.get(name);
    return entry === undefined ? null : { only_ts: entry.only_ts, topics: entry.topics, is_started: entry.autostart };
  }

  /** Resolves when the change is on disk, or when saving failed, which is logged. */
  set(name: string, { only_ts, topics, is_started }: RequestedLogger): Promise<void> {
    return this.#change({ name, only_ts, topics: [...topics], is_started, is_deleted: false, entry: this.#entry(name) });
  }

  delete(name: string): Promise<void> {
    const entry = this.#entry(name);
    if (entry !== null) return this.#change({ name, only_ts: false, topics: [], is_started: false, is_deleted: true, entry });
    this.#changed.delete(name);
    return this.#save();
  }

  /** Hosts that have samples, as far as they have reported. */
  holders(name: string): ReadonlySet<string> {
    return this.#holders.get(name) ?? new Set();
  }

  noteHolder(name: string, host: string, holds: boolean): void {
    if (this.holders(name).has(host) === holds) return;
    if (holds) this.#holdersOf(name).add(host);
    else this.#holders.get(name)?.delete(host);
    void this.#save();
  }

  #holdersOf(name: string): Set<string> {
    const known = this.#holders.get(name) ?? new Set();
    this.#holders.set(name, known);
    return known;
  }

  #change(logger: ChangedLogger): Promise<void> {
    if (isDeepStrictEqual(this.#changed.get(logger.name), logger)) return Promise.resolve();
    this.#changed.set(logger.name, logger);
    return this.#save();
  }

  #save(): Promise<void> {
    for (const [name, { entry }] of this.#changed) if (entry !== this.#entry(name)) this.#changed.delete(name);
    for (const name of this.#holders.keys()) if (this.get(name) === null) this.#holders.delete(name);
    const holders = [...this.#holders].flatMap(([name, hosts]) => [...hosts].map((host): [string, string] => [name, host]));
    return this.#file.save({ loggers: [...this.#changed.values()], holders });
  }

  #entry(name: string): string | null {
    const entry = this.#settings().named.get(name);
    return entry === undefined ? null : createHash("sha256").update(JSON.stringify(entry)).digest("hex");
  }
}
