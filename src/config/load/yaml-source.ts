import { type Alias, isAlias, isMap, isScalar, isSeq, type LineCounter, type Node, type Pair, type YAMLMap } from "yaml";
import { visible } from "../../base/text/visible-text.ts";
import { type ConfigProblem, describeValue, type Finding, formatKeyPath, type KeyPath } from "../schema/problems.ts";
import { parseYamlDocument } from "./yaml-document.ts";

/** Maximum number of values behind the aliases of a file: a few lines of nested aliases could mean billions. */
const MAX_ALIASED_VALUES = 500_000;
const MAX_DEPTH = 64;
const ALLOWED_TAGS = new Set(["str", "int", "float", "bool", "null", "map", "seq"].map((name) => `tag:yaml.org,2002:${name}`).concat("!"));

/** A YAML file as plain values, with the line and column of each key path. */
export interface YamlSource {
  /** Mappings are Maps, so that names keep their order and `__proto__` is a name; undefined for an empty file. */
  readonly value: unknown;
  readonly problems: readonly ConfigProblem[];
  /** Key paths of `problems` whose value was omitted because of them. */
  readonly leftOut: ReadonlySet<string>;
  locate(finding: Finding): ConfigProblem;
  /** A scalar as it is written: `1.10` stays "1.10". Undefined if there is no scalar at `path`. */
  writtenAt(path: KeyPath): string | undefined;
}

export function readYaml(text: string, file: string): YamlSource {
  const { document, lineCounter, problems: syntaxProblems } = parseYamlDocument(text);
  const root = document?.contents ?? null;
  const walk: Walk = { anchors: new Map(), targets: new Map(), pairs: new Map(), findings: [], values: 0, expanding: 0, open: new Set() };

  const problemAt = (offset: number, path: KeyPath, message: string): ConfigProblem => {
    const { line, col } = lineCounter.linePos(Math.min(offset, text.length));
    return {
      file,
      path: formatKeyPath(path),
      line,
      column: col,
      message: visible(message),
      excerpt: lineOf(text, lineCounter, line),
    };
  };
  const locate = (finding: Finding): ConfigProblem => {
    const place = findPlace(root, finding.path, walk);
    const node = finding.at === "key" ? (place.key ?? place.value) : (place.value ?? place.key);
    return problemAt(node?.range?.[0] ?? 0, finding.path, finding.message);
  };
  const writtenAt = (path: KeyPath): string | undefined => {
    const found = findPlace(root, path, walk).value;
    const node = isAlias(found) ? walk.targets.get(found) : found;
    return isScalar(node) && typeof node.source === "string" ? node.source : undefined;
  };

  if (document === null) {
    const problems = syntaxProblems.map(({ offset, message }) => problemAt(offset, [], message));
    return { value: undefined, problems, leftOut: new Set(), locate, writtenAt };
  }
  const value = root === null ? undefined : toValue(root, [], walk);
  const leftOut = new Set(walk.findings.filter((found) => found.leftOut).map((found) => formatKeyPath(found.path)));
  const problems = walk.findings.map((found) => problemAt(found.offset, found.path, found.message));
  return { value, problems, leftOut, locate, writtenAt };
}

/** State of a walk in the order of the file. */
interface Walk {
  /** Anchors so far; a later one of the same name replaces an earlier one. */
  anchors: Map<string, Node>;
  /** The target of each alias (the library's own look-up walks the whole document for each alias). */
  targets: Map<Alias, Node>;
  pairs: Map<YAMLMap, ReadonlyMap<string, Pair>>;
  findings: { offset: number; path: KeyPath; message: string; leftOut: boolean }[];
  /** Values behind aliases so far. */
  values: number;
  /** Number of aliases that the walk is inside of. */
  expanding: number;
  /** Collections that are being walked: an alias to one of them has no end. */
  open: Set<Node>;
}

/** Converts a node to plain values. Wrong parts are reported and become undefined, so that the rest can still be checked. */
function toValue(node: Node, path: KeyPath, walk: Walk): unknown {
  const refuse = (message: string): undefined => {
    walk.findings.push({ offset: node.range?.[0] ?? 0, path, message, leftOut: true });
  };
  if (walk.expanding > 0 && ++walk.values > MAX_ALIASED_VALUES) {
    return walk.values === MAX_ALIASED_VALUES + 1 ? refuse(`aliases expand to more than ${MAX_ALIASED_VALUES} values`) : undefined;
  }
  if (isAlias(node)) {
    const target = targetOf(node, walk);
    if (target === undefined) return refuse(`the alias *${node.source} has no anchor before it`);
    if (walk.open.has(target)) return refuse(`the alias *${node.source} is inside its own anchor`);
    walk.expanding++;
    const value = toValue(target, path, walk);
    walk.expanding--;
    return value;
  }
  noteAnchor(node, walk);
  if (node.tag !== undefined && !ALLOWED_TAGS.has(node.tag)) return refuse(`the tag ${node.tag} is not supported; remove it`);
  if (isScalar(node)) return node.value;
  if (path.length >= MAX_DEPTH) return refuse(`is nested deeper than ${MAX_DEPTH} levels`);
  walk.open.add(node);
  const value = isMap(node)
    ? mapToValue(node, path, walk)
    : isSeq(node)
      ? node.items.map((item, index) => toValue(item as Node, [...path, index], walk))
      : undefined;
  walk.open.delete(node);
  return value;
}

function mapToValue(map: YAMLMap, path: KeyPath, walk: Walk): ReadonlyMap<string, unknown> {
  const values = new Map<string, unknown>();
  const pairs = new Map<string, Pair>();
  walk.pairs.set(map, pairs);
  for (const pair of map.items) {
    const keyNode = pair.key as Node;
    const refuse = (message: string, at: KeyPath) =>
      walk.findings.push({ offset: keyNode.range?.[0] ?? map.range?.[0] ?? 0, path: at, message, leftOut: false });
    const key = keyOf(pair, walk);
    if (typeof key !== "string") {
      refuse(
        `a key must be a string, found ${describeValue(key)}${key === null || typeof key === "object" ? "" : "; put it in quotes"}`,
        path,
      );
      continue;
    }
    if (key === "<<") {
      refuse("merge keys (<<) are not supported; use 'defaults'", path);
      continue;
    }
    if (pairs.has(key)) {
      refuse("is a duplicate key", [...path, key]);
      continue;
    }
    pairs.set(key, pair);
    values.set(key, pair.value === null ? null : toValue(pair.value as Node, [...path, key], walk));
  }
  return values;
}

function targetOf(alias: Alias, walk: Walk): Node | undefined {
  const target = walk.targets.get(alias) ?? walk.anchors.get(alias.source);
  if (target !== undefined) walk.targets.set(alias, target);
  return target;
}

function noteAnchor(node: Exclude<Node, Alias>, walk: Walk): void {
  // The target of an alias is walked again: its anchors must not replace newer ones.
  if (node.anchor !== undefined && walk.expanding === 0) walk.anchors.set(node.anchor, node);
}

function keyOf(pair: Pair, walk: Walk): unknown {
  const node = isAlias(pair.key) ? targetOf(pair.key, walk) : pair.key;
  if (isScalar(node)) noteAnchor(node, walk);
  return isScalar(node) ? node.value : node === null ? null : isSeq(node) ? [node] : {};
}

interface Place {
  key: Node | undefined;
  value: Node | undefined;
}

/** The deepest nodes on `path` that exist: a missing value is shown at the key above it. */
function findPlace(root: Node | null, path: KeyPath, walk: Walk): Place {
  let place: Place = { key: undefined, value: root ?? undefined };
  for (const segment of path) {
    const node = isAlias(place.value) ? walk.targets.get(place.value) : place.value;
    if (isMap(node)) {
      const pair = walk.pairs.get(node)?.get(String(segment));
      if (pair === undefined) return { key: place.key, value: place.key };
      place = { key: pair.key as Node, value: (pair.value as Node | null) ?? undefined };
    } else if (isSeq(node) && typeof segment === "number" && node.items[segment] !== undefined) {
      place = { key: undefined, value: node.items[segment] as Node };
    } else return { key: place.key, value: place.key ?? place.value };
  }
  return place;
}

function lineOf(text: string, lineCounter: LineCounter, line: number): string {
  const start = lineCounter.lineStarts[line - 1] ?? 0;
  const end = lineCounter.lineStarts[line] ?? text.length;
  return text.slice(start, end).replace(/\r?\n$/, "");
}
