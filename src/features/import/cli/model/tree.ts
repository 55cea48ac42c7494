import { type Alias, isAlias, isMap, isScalar, isSeq, type Node, type YAMLMap } from "yaml";
import { parseYamlDocument } from "../../../../config/load/yaml-document.ts";
import { ImportFailure } from "./failure.ts";

/** Maximum number of values of a file, those behind aliases counted each time. */
const MAX_VALUES = 500_000;
const MAX_DEPTH = 64;

/** Place of a key in a file of another process manager. Lines count from 1; 0 is unknown. */
export interface Place {
  readonly file: string;
  readonly line: number;
}

export type TreeValue = string | number | boolean | null | readonly Tree[] | ReadonlyMap<string, Tree>;

/** A value of such a file, with its place. */
export interface Tree {
  readonly place: Place;
  readonly value: TreeValue;
  /** A number as it is written, such as 1.10. */
  readonly written?: string;
  /** The text with the values that its variables have now; `value` has marks in their places (text/variables.ts). */
  readonly now?: string;
}

/** Reads YAML or JSON with aliases and merge keys (`<<`) resolved. Throws ImportFailure. */
export function yamlTree(text: string, file: string): Tree {
  const { document, lineCounter, problems } = parseYamlDocument(text);
  const at = (offset: number): Place => ({ file, line: lineCounter.linePos(offset).line });
  const [problem] = problems;
  if (document === null) {
    const { line } = at(Math.min(problem?.offset ?? 0, text.length));
    throw new ImportFailure(`${file}:${line}: ${problem?.message ?? "cannot be read as YAML"}`);
  }
  const walk: Walk = { at, anchors: new Map(), open: new Set(), values: 0, file };
  return document.contents === null ? { place: { file, line: 1 }, value: null } : toTree(document.contents, walk, 0);
}

interface Walk {
  readonly at: (offset: number) => Place;
  readonly anchors: Map<string, Node>;
  /** Nodes that are being walked: an alias to one of them has no end. */
  readonly open: Set<Node>;
  readonly file: string;
  values: number;
}

function toTree(node: Node, walk: Walk, depth: number): Tree {
  const place = walk.at(node.range?.[0] ?? 0);
  const fail = (message: string): never => {
    throw new ImportFailure(`${walk.file}:${place.line}: ${message}`);
  };
  if (++walk.values > MAX_VALUES) fail(`has more than ${MAX_VALUES} values`);
  if (depth > MAX_DEPTH) fail(`is nested deeper than ${MAX_DEPTH} levels`);
  if (isAlias(node)) return aliased(node, walk, depth, fail);
  if ("anchor" in node && typeof node.anchor === "string") walk.anchors.set(node.anchor, node);
  if (isScalar(node)) return { place, ...scalar(node.value, node.source) };
  walk.open.add(node);
  try {
    if (isSeq(node)) return { place, value: node.items.map((item) => toTree(item as Node, walk, depth + 1)) };
    return isMap(node) ? { place, value: mapping(node, walk, depth + 1) } : { place, value: null };
  } finally {
    walk.open.delete(node);
  }
}

function aliased(node: Alias, walk: Walk, depth: number, fail: (message: string) => never): Tree {
  const target = walk.anchors.get(node.source);
  if (target === undefined) return fail(`the alias *${node.source} has no anchor before it`);
  if (walk.open.has(target)) return fail(`the alias *${node.source} is inside its own anchor`);
  return toTree(target, walk, depth + 1);
}

function scalar(value: unknown, source: string | undefined): Pick<Tree, "value" | "written"> {
  if (typeof value === "number" || typeof value === "bigint")
    return { value: Number(value), ...(source === undefined ? {} : { written: source }) };
  if (typeof value === "boolean") return { value, ...(source === undefined ? {} : { written: source }) };
  return { value: value === null || value === undefined ? null : String(value) };
}

/** The entries of a mapping; its own keys override those of merged mappings. Places are those of the keys. */
function mapping(node: YAMLMap, walk: Walk, depth: number): ReadonlyMap<string, Tree> {
  const merged = new Map<string, Tree>();
  const own = new Map<string, Tree>();
  for (const { key, value } of node.items) {
    const keyNode = key as Node;
    const name = isScalar(keyNode) ? String(keyNode.source ?? keyNode.value) : "";
    const place = walk.at(keyNode.range?.[0] ?? 0);
    const tree: Tree = value === null ? { place, value: null } : toTree(value as Node, walk, depth);
    if (name === "<<") {
      // Of several merged mappings the first one wins.
      for (const each of [tree, ...asList(tree)]) for (const [inner, item] of asMap(each)) if (!merged.has(inner)) merged.set(inner, item);
    } else own.set(name, { ...tree, place });
  }
  return new Map([...merged, ...own]);
}

/** The items of a list, or none. */
export function asList({ value }: Tree): readonly Tree[] {
  return Array.isArray(value) ? value : [];
}

/** The entries of a mapping, or none. */
export function asMap({ value }: Tree): ReadonlyMap<string, Tree> {
  return value instanceof Map ? value : new Map();
}

/** The same tree with each text replaced by what `replace` returns for it. */
export function withTexts(tree: Tree, replace: (text: string, tree: Tree) => Pick<Tree, "value" | "now">): Tree {
  const { value } = tree;
  if (typeof value === "string") return { ...tree, ...replace(value, tree) };
  if (Array.isArray(value)) return { ...tree, value: value.map((item) => withTexts(item, replace)) };
  if (value instanceof Map) return { ...tree, value: new Map([...value].map(([key, item]) => [key, withTexts(item, replace)])) };
  return tree;
}

/** A tree of plain values, such as those of a program, without lines. */
export function plainTree(value: unknown, file: string): Tree {
  const place = { file, line: 0 };
  if (Array.isArray(value)) return { place, value: value.map((item) => plainTree(item, file)) };
  if (typeof value === "object" && value !== null)
    return { place, value: new Map(Object.entries(value).map(([key, item]) => [key, plainTree(item, file)])) };
  return { place, ...scalar(value, undefined) };
}
