import type { MultipliedEntry } from "../../config/multiplied.ts";
import { Expanded } from "../../config/schema/expanded.ts";
import { entriesOf } from "../../config/schema/schema-kinds.ts";

/** New keys or places of dependencies → those in the file. */
export type RenamedKeys = ReadonlyMap<string | number, string | number>;

/** Puts all replicas in the place of a process that has them, in a list or a mapping of `depends_on`. Without any, `keys` is empty. */
export function dependenciesOnAll(
  value: unknown,
  entries: ReadonlyMap<string, MultipliedEntry>,
): { readonly value: unknown; readonly keys: RenamedKeys } {
  const keys = new Map<string | number, string | number>();
  const replicasOf = (name: unknown) => entries.get(name instanceof Expanded ? name.text : String(name))?.names;
  if (Array.isArray(value)) {
    if (!value.some((name) => replicasOf(name) !== undefined)) return { value, keys };
    const list: unknown[] = [];
    for (const [at, name] of value.entries())
      for (const one of replicasOf(name) ?? [name]) {
        keys.set(list.length, at);
        list.push(one);
      }
    return { value: list, keys };
  }
  const mapping = entriesOf(value ?? null);
  const names = [...(mapping?.keys() ?? [])];
  if (mapping === undefined || !names.some((name) => replicasOf(name) !== undefined)) return { value, keys };
  const result = new Map<string, unknown>();
  for (const [name, how] of mapping)
    for (const one of replicasOf(name) ?? [name]) {
      keys.set(one, name);
      result.set(one, how);
    }
  return { value: result, keys };
}
