import { isAbsolute, relative, resolve } from "node:path";
import { asList, asMap, type Tree } from "../../model/tree.ts";
import { OPEN } from "../../text/variables.ts";

/** Values that replace those of the service below, instead of being added to them. */
const REPLACED = new Set(["command", "entrypoint", "healthcheck.test"]);
/** Lists of NAME=value, which are mappings when two of them are merged. */
const VARIABLES = new Set(["environment", "labels", "annotations", "build.args"]);

/**
 * Merges two services as the Compose specification says: mappings key by key, lists one behind the other, other values replaced. Shell
 * commands are replaced as a whole. Volumes of the same folder in the container are one.
 */
export function mergedService(below: Tree, above: Tree): Tree {
  return merged(below, above, "");
}

function merged(below: Tree, above: Tree, path: string): Tree {
  if (REPLACED.has(path)) return above;
  const [lower, upper] = [below, above].map((tree) => normalized(tree, path)) as [Tree, Tree];
  if (lower.value instanceof Map && upper.value instanceof Map) {
    const entries = new Map(asMap(lower));
    for (const [key, tree] of asMap(upper)) {
      const before = entries.get(key);
      entries.set(key, before === undefined ? tree : { ...merged(before, tree, path === "" ? key : `${path}.${key}`), place: tree.place });
    }
    return { ...upper, value: entries };
  }
  if (!Array.isArray(lower.value) || !Array.isArray(upper.value)) return upper;
  const keys = new Set(asList(upper).map((item) => keyOf(item, path)));
  return { ...upper, value: [...asList(lower).filter((item) => !keys.has(keyOf(item, path))), ...asList(upper)] };
}

/** The long form of a value that has a short one. */
function normalized(tree: Tree, path: string): Tree {
  if (VARIABLES.has(path) && Array.isArray(tree.value)) return { ...tree, value: new Map(asList(tree).map(variable)) };
  if (path === "depends_on" && Array.isArray(tree.value)) {
    const how = (item: Tree): Tree => ({
      place: item.place,
      value: new Map([["condition", { place: item.place, value: "service_started" }]]),
    });
    return { ...tree, value: new Map(asList(tree).map((item) => [String(item.value), how(item)])) };
  }
  if (path === "env_file" && typeof tree.value === "string") return { ...tree, value: [tree] };
  return tree;
}

function variable(item: Tree): [string, Tree] {
  const [name = "", ...rest] = String(item.value).split("=");
  const [, ...now] = String(item.now ?? item.value).split("=");
  return [name, rest.length === 0 ? { ...item, value: null } : { ...item, value: rest.join("="), now: now.join("=") }];
}

/** Returns the key by which two items of a list are the same one. */
function keyOf(item: Tree, path: string): string {
  if (path === "volumes")
    return item.value instanceof Map ? String(asMap(item).get("target")?.value) : (String(item.value).split(":")[1] ?? String(item.value));
  return JSON.stringify(item.value instanceof Map ? [...asMap(item)].map(([key, { value }]) => [key, value]) : item.value);
}

/** The service of a file in the folder `from`, with its relative paths written for a file in the folder `to`. */
export function rebased(service: Tree, from: string, to: string): Tree {
  if (from === to) return service;
  const moved = (path: string): string => {
    // A text that begins with a variable is taken for a whole path.
    if (isAbsolute(path) || path.startsWith(OPEN) || path.startsWith("~")) return path;
    const inside = relative(to, resolve(from, path)) || ".";
    return inside.startsWith(".") ? inside : `./${inside}`;
  };
  const textMoved = (tree: Tree): Tree =>
    typeof tree.value === "string"
      ? { ...tree, value: moved(tree.value), ...(tree.now === undefined ? {} : { now: moved(tree.now) }) }
      : tree;
  const keyMoved = (tree: Tree, key: string): Tree => {
    const inner = asMap(tree).get(key);
    return inner === undefined ? textMoved(tree) : { ...tree, value: new Map(asMap(tree)).set(key, textMoved(inner)) };
  };
  const volumeMoved = (tree: Tree): Tree => {
    if (tree.value instanceof Map) return asMap(tree).get("type")?.value === "bind" ? keyMoved(tree, "source") : tree;
    const short = (text: string) => text.replace(/^\.[^:]*/, moved);
    return typeof tree.value === "string"
      ? { ...tree, value: short(tree.value), ...(tree.now === undefined ? {} : { now: short(tree.now) }) }
      : tree;
  };
  const each = (tree: Tree, move: (item: Tree) => Tree): Tree =>
    Array.isArray(tree.value) ? { ...tree, value: asList(tree).map(move) } : move(tree);
  const keys = new Map(asMap(service));
  const files = keys.get("env_file");
  const volumes = keys.get("volumes");
  if (files !== undefined)
    keys.set(
      "env_file",
      each(files, (item) => keyMoved(item, "path")),
    );
  if (volumes !== undefined) keys.set("volumes", each(volumes, volumeMoved));
  return { ...service, value: keys };
}
