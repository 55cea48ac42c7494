import { isWithin } from "../../base/text/names.ts";
import { Names, type PartFinding, type RawPart } from "../../config/load/names.ts";
import type { Counts, Multiplication, MultipliedEntry, Multiply } from "../../config/multiplied.ts";
import { withPlainText } from "../../config/schema/expanded.ts";
import type { KeyPath } from "../../config/schema/problems.ts";
import { entriesOf } from "../../config/schema/schema-kinds.ts";
import { replicaCount } from "./count.ts";
import { dependenciesOnAll, type RenamedKeys } from "./dependencies.ts";
import { type IndexedTemplates, indexedTemplates } from "./indexed-templates.ts";
import { withIndex } from "./placeholder.ts";
import { replicaName } from "./replica-names.ts";

/** Keys whose texts are not those of the replicas: they say which texts there are. */
const CONTROLLING = new Set(["replicas", "extends"]);

/**
 * Puts replicas in the place of each process with `replicas`, one entry each. Works on the values before they are checked, so that a text such as a
 * port is checked with its index; problems are reported where the value is written in the file.
 */
export const multiply: Multiply = (parts, counts) => {
  const names = new Names(parts.map(({ root, label }) => ({ root: withPlainText(root ?? null), label })));
  const entries = replicatedEntries(parts, names, counts);
  if (entries.size === 0) return unchanged(parts);
  const templates = indexedTemplates(names, entries);
  const multiplied = parts.map(({ root }) => new MultipliedPart(entries, templates).of(root));
  return {
    values: multiplied.map(({ value }) => value),
    entries,
    findings: [...entries.keys()].flatMap((name) => [...groupFindings(names, name), ...logFileFindings(names, name)]),
    origin: (part, path) => multiplied[part]?.origin(path) ?? path,
  };
};

function unchanged(parts: readonly RawPart[]): Multiplication {
  return { values: parts.map(({ root }) => root), entries: new Map(), findings: [], origin: (_part, path) => path };
}

/** The processes with a valid number of replicas; the schema reports other values. */
function replicatedEntries(parts: readonly RawPart[], names: Names, counts: Counts): Map<string, MultipliedEntry> {
  const entries = new Map<string, MultipliedEntry>();
  for (const name of names.processes.keys()) {
    const holder = names.sections(name).findLast(({ settings }) => settings.has("replicas"));
    if (holder === undefined) continue;
    const [value] = parts.flatMap(({ root }) => valueAt(root, [...holder.path, "replicas"]) ?? []);
    const read = replicaCount.safeParse(value);
    if (!read.success) continue;
    const count = counts.get(name) ?? read.data;
    entries.set(name, { configured: read.data, names: Array.from({ length: count }, (_, index) => replicaName(name, index + 1)) });
  }
  return entries;
}

function valueAt(root: unknown, path: KeyPath): unknown {
  return path.reduce<unknown>((value, key) => entriesOf(value ?? null)?.get(String(key)), root);
}

/** One file, with replicas in the place of processes. */
class MultipliedPart {
  readonly #entries: ReadonlyMap<string, MultipliedEntry>;
  readonly #templates: IndexedTemplates;
  /** Sections of replicas and of indexed templates → names of the sections that they were made from. */
  readonly #sections = new Map<string, string>();
  readonly #dependencies = new Map<string, RenamedKeys>();

  constructor(entries: ReadonlyMap<string, MultipliedEntry>, templates: IndexedTemplates) {
    this.#entries = entries;
    this.#templates = templates;
  }

  of(root: unknown): { value: unknown; origin: (path: KeyPath) => KeyPath } {
    const file = root === undefined ? undefined : entriesOf(root);
    if (file === undefined) return { value: root, origin: (path) => path };
    const processes = entriesOf(file.get("processes") ?? null);
    const templates = entriesOf(file.get("templates") ?? null);
    const value = new Map(file);
    if (processes !== undefined) value.set("processes", this.#processes(processes));
    if (templates !== undefined) value.set("templates", this.#allTemplates(templates));
    return { value, origin: (path) => this.#origin(path) };
  }

  #processes(processes: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
    const result = new Map<string, unknown>();
    for (const [name, settings] of processes) {
      const names = this.#entries.get(name)?.names;
      if (names === undefined) result.set(name, this.#dependent("processes", name, settings));
      for (const [at, replica] of (names ?? []).entries())
        result.set(replica, this.#indexed("processes", { from: name, to: replica, index: at + 1 }, settings));
    }
    return result;
  }

  #allTemplates(templates: ReadonlyMap<string, unknown>): ReadonlyMap<string, unknown> {
    const result = new Map<string, unknown>();
    for (const [name, settings] of templates) {
      if (!this.#templates.replaced.has(name)) result.set(name, this.#dependent("templates", name, settings));
      for (const [index, copy] of this.#templates.copies.get(name) ?? [])
        result.set(copy, this.#indexed("templates", { from: name, to: copy, index }, settings));
    }
    return result;
  }

  #indexed(section: string, { from, to, index }: { from: string; to: string; index: number }, value: unknown): unknown {
    this.#sections.set(`${section}\0${to}`, from);
    const settings = entriesOf(value ?? null);
    if (settings === undefined) return value;
    const result = new Map<string, unknown>();
    for (const [key, item] of settings) if (key !== "replicas") result.set(key, CONTROLLING.has(key) ? item : withIndex(item, index));
    if (result.has("extends")) result.set("extends", this.#templates.extending(result.get("extends"), index));
    return this.#dependent(section, to, result);
  }

  /** Depending on a process with replicas means depending on all of them. */
  #dependent(section: string, name: string, value: unknown): unknown {
    const settings = entriesOf(value ?? null);
    if (settings === undefined || !settings.has("depends_on")) return value;
    const { value: all, keys } = dependenciesOnAll(settings.get("depends_on"), this.#entries);
    if (keys.size === 0) return value;
    this.#dependencies.set(`${section}\0${name}`, keys);
    return new Map(settings).set("depends_on", all);
  }

  #origin(path: KeyPath): KeyPath {
    const [section, name, key, dependency, ...rest] = path;
    const id = `${section}\0${name}`;
    const from = this.#sections.get(id);
    const head = from === undefined ? path : [section ?? "", from, ...path.slice(2)];
    const known = key === "depends_on" && dependency !== undefined ? this.#dependencies.get(id)?.get(dependency) : undefined;
    return known === undefined ? head : [...head.slice(0, 3), known, ...rest];
  }
}

/** The group of the replicas has no other members: a command for its name would mean those, too. */
function groupFindings(names: Names, name: string): PartFinding[] {
  const other = [...names.processes.keys()].find((each) => each !== name && isWithin(each, name));
  if (other === undefined) return [];
  const message = `has replicas, which are the group '${name}', and '${other}' is in that group as well; rename one of them`;
  return [names.finding(["processes", name], message, "key")];
}

/** All replicas would write the same file, and rotate it under each other's hands. */
function logFileFindings(names: Names, name: string): PartFinding[] {
  const holder = names.sections(name).findLast(({ settings }) => settings.has("log_file"));
  const file = holder?.settings.get("log_file");
  const path = typeof file === "string" ? file : entriesOf(file ?? null)?.get("path");
  if (holder === undefined || typeof path !== "string" || withIndex(path, 1) !== path) return [];
  return [
    names.finding([...holder.path, "log_file"], `must have {index} in its path: all replicas of '${name}' would write the same file`),
  ];
}
