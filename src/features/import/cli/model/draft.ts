import type { Entry } from "./findings.ts";
import type { Place } from "./tree.ts";
import type { Paths } from "./values.ts";

/** Values of a section of the configuration; nested sections are Maps, so that any name is only a name. */
export type Settings = Map<string, unknown>;

/** How a process depends on another one of the imported file. */
export interface Dependency {
  readonly entry: Entry;
  /** Name in the imported file. */
  readonly on: string;
  readonly condition: "started" | "ready" | "completed" | null;
  readonly onStop: "stop" | "restart" | "keep" | null;
  /** Why this is a guess; null: it is none. */
  readonly guess: string | null;
}

/** A section of the new configuration while it is put together: a process, or `defaults`. */
export class Draft {
  /** Name in the configuration. */
  name: string;
  /** The part of the imported file that it comes from, such as "[program:web]". */
  readonly origin: string;
  readonly place: Place;
  readonly settings: Settings = new Map();
  readonly dependencies: Dependency[] = [];
  /** Comments above the section. */
  readonly remarks: string[] = [];
  /** Comments above keys of the section. */
  readonly notes = new Map<string, string[]>();

  constructor(name: string, origin: string, place: Place) {
    this.name = name;
    this.origin = origin;
    this.place = place;
  }

  /** Sets what a process has unless its file says otherwise: it starts with the manager, in the folder of the imported file. */
  begin(paths: Paths): void {
    this.set("command", "");
    this.set("autostart", true);
    if (paths.folder !== null) this.set("cwd", paths.folder);
  }

  /** Sets a key, such as "restart.delay". */
  set(path: string, value: unknown): void {
    this.#put(path.split("."), value);
  }

  get(path: string): unknown {
    let value: unknown = this.settings;
    for (const key of path.split(".")) value = value instanceof Map ? value.get(key) : undefined;
    return value;
  }

  /** Sets a variable of the environment; the name may have any characters. */
  variable(name: string, value: string): void {
    this.#put(["environment", name], value);
  }

  /** Adds a dependency on a process of the configuration; its name may have any characters. */
  depend(name: string, how: Settings): void {
    this.#put(["depends_on", name], how);
  }

  /** Adds an item to a list. */
  add(key: string, item: unknown): void {
    const list = this.settings.get(key);
    if (Array.isArray(list)) list.push(item);
    else this.settings.set(key, [item]);
  }

  /** Adds a comment above a key of the section. */
  note(path: string, text: string): void {
    const [key = ""] = path.split(".");
    const notes = this.notes.get(key) ?? [];
    if (!notes.includes(text)) this.notes.set(key, [...notes, text]);
  }

  /** A copy with another name, for a further instance of the same process. */
  copy(name: string): Draft {
    const copy = new Draft(name, this.origin, this.place);
    for (const [key, value] of this.settings) copy.settings.set(key, structuredClone(value));
    copy.dependencies.push(...this.dependencies);
    copy.remarks.push(...this.remarks);
    for (const [key, notes] of this.notes) copy.notes.set(key, [...notes]);
    return copy;
  }

  #put(path: readonly string[], value: unknown): void {
    let section: Settings = this.settings;
    for (const key of path.slice(0, -1)) {
      const inner = section.get(key);
      const next: Settings = inner instanceof Map ? inner : new Map();
      section.set(key, next);
      section = next;
    }
    section.set(path.at(-1) ?? "", value);
  }
}
