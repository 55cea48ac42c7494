import type { Finding, KeyPath } from "../schema/problems.ts";
import { entriesOf } from "../schema/schema-kinds.ts";
import type { Section } from "./names.ts";
import type { YamlSource } from "./yaml-source.ts";

/** Sections whose entries may be in an included file. */
const SECTIONS: readonly Section[] = ["templates", "groups", "processes"];

/** The file that a merged value is from: for a mapping, the last that has it, and the owners of its entries. */
interface Owner {
  readonly source: YamlSource;
  /** Null: the value is from that file alone. */
  readonly entries: ReadonlyMap<string, Owner> | null;
}

interface Merged {
  readonly value: unknown;
  readonly owner: Owner;
}

/**
 * Puts overlay files over a file, the strongest last: mappings are merged by key, anything else is replaced, and an explicit `null` removes a
 * key. Problems keep the place in the file that has the value.
 */
export function overlaid(base: YamlSource, overlays: readonly YamlSource[]): YamlSource {
  if (overlays.length === 0) return base;
  const findings: { readonly source: YamlSource; readonly finding: Finding }[] = [];
  let merged: Merged = { value: base.value, owner: { source: base, entries: null } };
  for (const source of overlays) {
    const report = (finding: Finding) => findings.push({ source, finding });
    if (source.value !== undefined) merged = merge(merged, { value: source.value, source }, [], report);
  }
  const { value, owner } = merged;
  return {
    value,
    problems: [...base.problems, ...findings.map(({ source, finding }) => source.locate(finding))],
    leftOut: new Set([base, ...overlays].flatMap(({ leftOut }) => [...leftOut])),
    locate: (finding) => ownerOf(owner, finding.path).locate(finding),
    writtenAt: (path) => ownerOf(owner, path).writtenAt(path),
  };
}

/** The entries of an overlay that `accepts`, of the sections that included files have; the rest of the overlay, if `rest` is set. */
export function partOf(overlay: YamlSource, accepts: (section: Section, name: string) => boolean, rest: boolean): YamlSource {
  const root = entriesOf(overlay.value ?? null);
  if (root === undefined) return rest ? overlay : { ...overlay, value: undefined };
  const value = new Map(rest ? root : []);
  for (const section of SECTIONS) {
    const entries = entriesOf(root.get(section) ?? null);
    if (entries !== undefined && entries.size > 0) value.set(section, new Map([...entries].filter(([name]) => accepts(section, name))));
  }
  return { ...overlay, value };
}

function merge(
  below: Merged,
  { value, source }: { value: unknown; source: YamlSource },
  path: KeyPath,
  report: (finding: Finding) => void,
): Merged {
  const over = mappingOf(value);
  const under = mappingOf(below.value);
  if (over === undefined || under === undefined) return { value, owner: { source, entries: null } };
  const values = new Map(under);
  const owners = new Map(
    [...under.keys()].map((key) => [key, below.owner.entries?.get(key) ?? { source: below.owner.source, entries: null }]),
  );
  for (const [key, item] of over) {
    const at = [...path, key];
    const known = owners.get(key);
    if (item === null && (source.writtenAt(at) ?? "") !== "") {
      if (known === undefined) report({ path: at, message: "cannot be removed: no file before this one has it", at: "key" });
      values.delete(key);
      owners.delete(key);
    } else if (item === null && known !== undefined) {
      // An empty mapping, as everywhere.
      if (mappingOf(values.get(key)) === undefined)
        report({ path: at, message: "is empty; write a value, or null to remove what the files before this one have", at: "key" });
    } else {
      const next =
        known === undefined
          ? { value: item, owner: { source, entries: null } }
          : merge({ value: values.get(key), owner: known }, { value: item, source }, at, report);
      values.set(key, next.value);
      owners.set(key, next.owner);
    }
  }
  return { value: values, owner: { source, entries: owners } };
}

/** Null is an empty mapping; undefined for anything that is none. */
function mappingOf(value: unknown): ReadonlyMap<string, unknown> | undefined {
  return value === undefined ? new Map() : entriesOf(value);
}

/** The file that has the value at the path, or the last that has the deepest mapping on it. */
function ownerOf(root: Owner, path: KeyPath): YamlSource {
  let owner = root;
  for (const key of path) {
    const next = owner.entries?.get(String(key));
    if (next === undefined) break;
    owner = next;
  }
  return owner.source;
}
