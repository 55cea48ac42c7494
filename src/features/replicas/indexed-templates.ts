import { extending, type Names } from "../../config/load/names.ts";
import { lineage } from "../../config/load/templates.ts";
import type { MultipliedEntry } from "../../config/multiplied.ts";
import { Expanded } from "../../config/schema/expanded.ts";
import { hasPlaceholder } from "./placeholder.ts";

/** The templates with `{index}`, of which each index has a copy. */
export interface IndexedTemplates {
  /** Copies by template and index. */
  readonly copies: ReadonlyMap<string, ReadonlyMap<number, string>>;
  /** Templates that only replicas use: their copies stand for them. Others stay as they are for the processes without replicas. */
  readonly replaced: ReadonlySet<string>;
  /** The value of `extends` of a replica, with copies in the place of templates. */
  extending(value: unknown, index: number): unknown;
}

/** A name with a control character, so that a copy does not meet a template of the user. */
const copyName = (template: string, index: number): string => `${template}\u0001${index}`;

export function indexedTemplates(names: Names, entries: ReadonlyMap<string, MultipliedEntry>): IndexedTemplates {
  const above = (name: string) => lineage({ extends: [name] }, (template) => settingsOf(names, template));
  const withOwn = new Set([...names.templates].flatMap(([template, settings]) => (hasPlaceholder(settings) ? template : [])));
  const indexed = new Set([...names.templates.keys()].filter((template) => above(template).some((one) => withOwn.has(one))));
  const highest = new Map<string, number>();
  const usedAsTheyAre = new Set<string>();
  for (const [name, settings] of names.processes) {
    const count = entries.get(name)?.names.length;
    for (const template of lineage(extending(settings), (each) => settingsOf(names, each))) {
      if (count === undefined) usedAsTheyAre.add(template);
      else if (indexed.has(template)) highest.set(template, Math.max(count, highest.get(template) ?? 0));
    }
  }
  // A template that stays needs those that it extends.
  for (const template of names.templates.keys()) if (!highest.has(template)) for (const one of above(template)) usedAsTheyAre.add(one);
  const copies = new Map(
    [...highest].map(([template, count]) => [
      template,
      new Map(Array.from({ length: count }, (_, at) => [at + 1, copyName(template, at + 1)] as const)),
    ]),
  );
  return {
    copies,
    replaced: new Set([...highest.keys()].filter((template) => !usedAsTheyAre.has(template))),
    extending: (value, index) => {
      const copyOf = (item: unknown) => {
        const name = item instanceof Expanded ? item.text : item;
        return (typeof name === "string" ? copies.get(name)?.get(index) : undefined) ?? item;
      };
      return Array.isArray(value) ? value.map(copyOf) : copyOf(value);
    },
  };
}

function settingsOf(names: Names, template: string): { extends: string[] } | undefined {
  const settings = names.templates.get(template);
  return settings && extending(settings);
}
