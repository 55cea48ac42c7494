import { isAbsolute, resolve } from "node:path";
import type { KeyPath } from "../schema/problems.ts";
import { PROCESS_DEFAULTS, type ProcessKeys, type ProcessSection } from "../schema/schema-process.ts";

/** One of the sections that a process is put together from: 'defaults', templates, its own. */
export interface Layer {
  readonly values: ProcessSection;
  /** Path of the section below the root of its file. */
  readonly path: KeyPath;
  /** Folder of its file, absolute. */
  readonly dir: string;
  /** Returns a scalar as it is written in its file, where that is known. */
  readonly writtenAt: (path: KeyPath) => string | undefined;
}

/** The sections of one process, the weakest first. */
export class Layers {
  readonly #layers: readonly Layer[];
  /** Base folder of the process's relative paths: that of its own file; null: on another host, paths stay as they are. */
  readonly #dir: string | null;

  constructor(layers: readonly Layer[], dir: string | null) {
    this.#layers = layers;
    this.#dir = dir;
  }

  /** The value of the strongest section that has one, else the default. */
  last<K extends keyof ProcessKeys>(key: K): ProcessKeys[K] {
    return (this.#holder(key)?.values ?? PROCESS_DEFAULTS)[key] as ProcessKeys[K];
  }

  /** A mapping with fixed keys: each key from the strongest section that has it, else its default. Without any section, it is `defaults` itself. */
  merged<K extends "terminal" | "restart" | "limits" | "scheduling" | "stop", Defaults extends NonNullable<ProcessSection[K]>>(
    key: K,
    defaults: Defaults,
  ): Defaults {
    if (this.#holder(key) === undefined) return defaults;
    return Object.assign({}, defaults, ...this.#layers.map(({ values }) => values[key]));
  }

  /** A mapping with free names, put together by name. */
  union<Value>(read: (values: ProcessSection) => ReadonlyMap<string, Value> | undefined): Map<string, Value> {
    const union = new Map<string, Value>();
    for (const { values } of this.#layers) for (const [name, value] of read(values) ?? []) union.set(name, value);
    return union;
  }

  /** Paths of the strongest section that has some; relative to the process's folder, or absolute. */
  paths(key: "env_file" | "watch"): string[] {
    const holder = this.#holder(key);
    return [holder?.values[key] ?? []].flat().map((path) => this.#fromHere(path, holder));
  }

  path(key: "cwd"): string {
    return this.#fromHere(this.last(key), this.#holder(key));
  }

  logFile(): ProcessKeys["log_file"] {
    const file = this.last("log_file");
    return file && { ...file, path: this.#fromHere(file.path, this.#holder("log_file")) };
  }

  /** The stop settings of the strongest section that has a signal, command or send. */
  stopSettings(): ProcessSection["stop"] {
    const says = (stop: ProcessSection["stop"]) => (stop?.signal ?? stop?.command ?? stop?.send) !== undefined;
    return this.#layers.findLast(({ values }) => says(values.stop))?.values.stop;
  }

  /** Numbers and booleans become the text that is written in the file: 1.10 stays "1.10". */
  environment(): Readonly<Record<string, string>> {
    const environment: Record<string, string> = Object.create(null);
    for (const { values, path, writtenAt } of this.#layers) {
      for (const [name, value] of values.environment ?? []) {
        environment[name] = typeof value === "string" ? value : (writtenAt([...path, "environment", name]) ?? String(value));
      }
    }
    return environment;
  }

  #holder(key: keyof ProcessSection): Layer | undefined {
    return this.#layers.findLast(({ values }) => values[key] !== undefined);
  }

  /** Relative paths of a template in another file refer to that file's folder. */
  #fromHere(path: string, layer: Layer | undefined): string {
    return layer === undefined || this.#dir === null || layer.dir === this.#dir || isAbsolute(path) ? path : resolve(layer.dir, path);
  }
}
