import type { z } from "zod";
import { firstIssue, MgrError, messageOf } from "../base/errors.ts";
import { parseJson } from "../base/json.ts";
import { setAside } from "./damaged-file.ts";
import { readStateText } from "./state-file.ts";

/** Larger than any state that mgr writes, bytes. */
const MAX_BYTES = 64 * 1024 * 1024;

export interface JsonState<T> {
  readonly schema: z.ZodType<T>;
  /** Content of a missing or unusable file. */
  readonly empty: T;
  /** The consequence of an unusable file, for the warning. */
  readonly lost: string;
  readonly warn: (msg: string) => void;
  readonly maxBytes?: number;
}

/** As `readTrustedJsonState`, but a file that cannot be read, or that another user may have written, is reported and counts as empty. */
export function readJsonState<T>(path: string, state: JsonState<T>): T {
  try {
    return readTrustedJsonState(path, state);
  } catch (error) {
    state.warn(`${state.lost}: ${messageOf(error)}`);
    return state.empty;
  }
}

/**
 * The content of a JSON file of a state folder. Invalid entries of its lists are left out with a warning; a file that is damaged otherwise is
 * renamed to `<path>.damaged-<n>` with a warning, and counts as empty. Throws as `openStateFile` does.
 */
export function readTrustedJsonState<T>(path: string, { schema, empty, lost, warn, maxBytes = MAX_BYTES }: JsonState<T>): T {
  let damage: string;
  try {
    const text = readStateText(path, { maxBytes });
    if (text === null) return empty;
    const content = parseJson(text);
    const { data, error } = schema.safeParse(content);
    if (error === undefined) return data;
    damage = content === undefined ? "not JSON" : firstIssue(error);
    const count = dropInvalid(content, error);
    const repaired = count === 0 ? undefined : schema.safeParse(content);
    if (repaired?.success) {
      warn(`${path} has ${count} invalid ${count === 1 ? "entry, which is" : "entries, which are"} left out: ${damage}`);
      return repaired.data;
    }
  } catch (error) {
    if (!(error instanceof MgrError && error.code === "too_large")) throw error;
    damage = error.message;
  }
  warn(`${path} was damaged (${damage}): it was renamed to ${setAside(path)}, and ${lost}`);
  return empty;
}

/** Removes the list entries that the issues are about. Returns their number; 0 if an issue is about anything else. */
function dropInvalid(content: unknown, { issues }: z.ZodError): number {
  const invalid = new Map<unknown[], Set<unknown>>();
  for (const { path } of issues) {
    const at = path.findIndex((key) => typeof key === "number");
    if (at < 0) return 0;
    const list = path.slice(0, at).reduce<unknown>((value, key) => (value as Record<PropertyKey, unknown>)[key], content);
    if (!Array.isArray(list)) return 0;
    invalid.set(list, (invalid.get(list) ?? new Set()).add(path[at]));
  }
  let count = 0;
  for (const [list, indexes] of invalid) {
    const valid = list.filter((_, index) => !indexes.has(index));
    list.length = 0;
    for (const each of valid) list.push(each);
    count += indexes.size;
  }
  return count;
}
