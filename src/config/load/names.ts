import { ancestorNames } from "../../base/text/names.ts";
import type { Finding, KeyPath } from "../schema/problems.ts";
import { entriesOf, settingsOf } from "../schema/schema-kinds.ts";
import { lineage } from "./templates.ts";

export interface RawPart {
  /** The expanded values of the file, not yet checked against the schema. */
  readonly root: unknown;
  /** Name of the file in problems. */
  readonly label: string;
}

/** A finding in one of the files; `part` is the index of the file. */
export interface PartFinding extends Finding {
  readonly part: number;
}

export type Section = "templates" | "groups" | "processes";
export type Settings = ReadonlyMap<string, unknown>;

/** All configured names, and the file that defines each. */
export class Names {
  readonly duplicates: PartFinding[] = [];
  readonly templates: ReadonlyMap<string, Settings>;
  readonly groups: ReadonlyMap<string, unknown>;
  readonly processes: ReadonlyMap<string, Settings>;
  readonly main: Settings;
  /** Group → the first name that implies it. */
  readonly impliedBy = new Map<string, string>();
  readonly #owners = new Map<string, number>();
  readonly #parts: readonly RawPart[];

  constructor(parts: readonly RawPart[]) {
    this.#parts = parts;
    this.main = entriesOf(parts[0]?.root ?? null) ?? new Map();
    this.templates = this.#settings("templates");
    this.groups = this.#collect("groups");
    this.processes = this.#settings("processes");
    for (const name of [...this.processes.keys(), ...this.groups.keys()]) {
      for (const group of ancestorNames(name)) if (!this.impliedBy.has(group)) this.impliedBy.set(group, name);
    }
  }

  isGroup(name: string): boolean {
    return this.groups.has(name) || this.impliedBy.has(name);
  }

  /** A finding in the file that has the section's entry of that name. */
  finding(path: KeyPath, message: string, at: "key" | "value" = "value"): PartFinding {
    return { part: this.#owners.get(`${path[0]}\0${path[1]}`) ?? 0, path, message, at };
  }

  /** Every section that a process is merged from: its templates, the weakest first, then its own. */
  sections(name: string): { path: KeyPath; settings: Settings }[] {
    const own = this.processes.get(name) ?? new Map<string, unknown>();
    if (!own.has("extends")) return [{ path: ["processes", name], settings: own }];
    const above = lineage(extending(own), (template) => {
      const settings = this.templates.get(template);
      return settings && extending(settings);
    });
    const templates = above.flatMap((template) => {
      const settings = this.templates.get(template);
      return settings === undefined ? [] : [{ path: ["templates", template], settings }];
    });
    return [...templates, { path: ["processes", name], settings: own }];
  }

  #settings(section: Section): ReadonlyMap<string, Settings> {
    return new Map([...this.#collect(section)].map(([name, value]) => [name, settingsOf(value ?? null) ?? new Map<string, unknown>()]));
  }

  #collect(section: Section): ReadonlyMap<string, unknown> {
    const all = new Map<string, unknown>();
    for (const [part, { root }] of this.#parts.entries()) {
      for (const [name, value] of entriesOf(entriesOf(root)?.get(section) ?? null) ?? []) {
        const key = `${section}\0${name}`;
        const owner = this.#parts[this.#owners.get(key) ?? -1];
        if (owner === undefined) {
          this.#owners.set(key, part);
          all.set(name, value);
        } else
          this.duplicates.push({
            part,
            path: [section, name],
            message: `is also defined in ${owner.label}; names must be unique`,
            at: "key",
          });
      }
    }
    return all;
  }
}

/** Names of the templates of a section. */
export function extending(settings: Settings): { extends: string[] } {
  const names = [settings.get("extends")].flat();
  return { extends: names.map((name) => (typeof name === "string" ? name : "")) };
}

/** Removes repetitions: a problem of a template is reported once, not for each process that extends it. */
export function unique(findings: readonly PartFinding[]): PartFinding[] {
  return [...new Map(findings.map((finding) => [JSON.stringify([finding.part, finding.path, finding.message]), finding])).values()];
}
