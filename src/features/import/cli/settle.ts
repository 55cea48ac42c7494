import { parseConfigText } from "../../../config/load/load.ts";
import { ConfigError, formatKeyPath, type KeyPath } from "../../../config/schema/problems.ts";
import type { Draft, Settings } from "./model/draft.ts";
import { ImportFailure } from "./model/failure.ts";
import type { Result } from "./model/result.ts";

/** Each round removes what the one before made wrong, such as a dependency on a process that was removed. */
const MAX_ROUNDS = 100;

/**
 * Removes from the result what the configuration's own check refuses, and reports it with the keys that it came from. Returns the text
 * that passed. `render` writes the configuration; `path` is its place.
 */
export function settle(result: Result, path: string, render: () => string): string {
  for (let round = 0; round < MAX_ROUNDS; round++) {
    const text = render();
    try {
      parseConfigText(text, path);
      return text;
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      const places = new Map(placesOf(result).map((place) => [formatKeyPath(place.path), place]));
      const removed = error.problems.map(({ path: at, message }) => removeAt(at, message, places, result));
      if (!removed.some(Boolean)) throw new ImportFailure(`the new configuration has a problem: ${error.message}`);
    }
  }
  throw new ImportFailure("the new configuration has too many problems that follow from each other");
}

interface Place {
  readonly path: KeyPath;
  readonly draft: Draft;
  /** Path below the draft; none: the process itself. */
  readonly below: readonly string[];
}

/** Every key of the new configuration. */
function placesOf({ defaults, processes }: Result): Place[] {
  const all = processes.map((draft) => ({ draft, path: ["processes", draft.name] as KeyPath }));
  return [...all, { draft: defaults, path: ["defaults"] as KeyPath }].flatMap(({ draft, path }) => [
    { path, draft, below: [] },
    ...keysOf(draft.settings, []).map((below) => ({ path: [...path, ...below], draft, below })),
  ]);
}

function keysOf(settings: Settings, above: readonly string[]): string[][] {
  return [...settings].flatMap(([key, value]) => [[...above, key], ...(value instanceof Map ? keysOf(value, [...above, key]) : [])]);
}

/** Removes the key with the problem, or the nearest one above it; a process without a command is removed as a whole. */
function removeAt(at: string, message: string, places: ReadonlyMap<string, Place>, result: Result): boolean {
  const place = nearest(at, places);
  if (place === undefined) return false;
  const { draft, below } = place;
  const isWhole = below.length === 0 || (below[0] === "command" && draft !== result.defaults);
  const process = draft === result.defaults ? null : draft.name;
  const to = isWhole ? "" : below.join(".");
  const before = result.findings.dropped.length;
  const why = `mgr does not accept it: ${below.join(".")}${below.length === 0 ? "" : " "}${message}`;
  result.findings.revoke(process, to, why, "correct the value, or set the key of mgr.yaml by hand");
  if (result.findings.dropped.length === before)
    result.findings.dropped.push({
      key: draft.origin,
      place: draft.place,
      process: isWhole ? null : process,
      why,
      instead: "set the key of mgr.yaml by hand",
    });
  if (isWhole) {
    if (draft === result.defaults) draft.settings.clear();
    else result.remove(draft);
  } else remove(draft.settings, below);
  return true;
}

function nearest(at: string, places: ReadonlyMap<string, Place>): Place | undefined {
  const exact = places.get(at);
  if (exact !== undefined) return exact;
  const above = [...places.keys()].filter((path) => at.startsWith(`${path}.`) || at.startsWith(`${path}[`));
  const [longest] = above.sort((a, b) => b.length - a.length);
  return longest === undefined ? undefined : places.get(longest);
}

function remove(settings: Settings, [key = "", ...rest]: readonly string[]): void {
  const inner = settings.get(key);
  if (rest.length === 0 || !(inner instanceof Map)) settings.delete(key);
  else {
    remove(inner, rest);
    if (inner.size === 0) settings.delete(key);
  }
}
