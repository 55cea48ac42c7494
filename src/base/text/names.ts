import { hasLength } from "./text-length.ts";

/** Names of processes and groups: segments joined by `/` (docs/design/wire-rules.md, "Conventions for every frame"). */

/** Maximum lengths of a name and of its segments, characters. */
export const MAX_NAME_LENGTH = 255;
export const MAX_SEGMENT_LENGTH = 64;

// Control, format (bidi marks and the like), unassigned, private and surrogate code points, line and paragraph separators.
const NOT_PRINTABLE = /[\p{C}\p{Zl}\p{Zp}]/u;

/** The reason why `name` cannot name a process or group, as the end of a sentence ("… is empty"), or null if it can. */
export function nameProblem(name: string): string | null {
  if (name.length === 0) return "is empty";
  if (!hasLength(name, 1, MAX_NAME_LENGTH)) return `is longer than ${MAX_NAME_LENGTH} characters`;
  for (const segment of name.split("/")) {
    if (segment.length === 0) return "has an empty segment (check for a leading, trailing or double '/')";
    if (!hasLength(segment, 1, MAX_SEGMENT_LENGTH)) return `has a segment longer than ${MAX_SEGMENT_LENGTH} characters`;
    if (segment === "." || segment === "..") return "has a segment '.' or '..'";
    if (NOT_PRINTABLE.test(segment)) return "has a non-printable character";
  }
  return null;
}

/** The last segment, as shown in the UI. */
export function displayName(name: string): string {
  return name.slice(name.lastIndexOf("/") + 1);
}

/** The name of the group that holds `name`, or null at the root. */
export function parentName(name: string): string | null {
  const cut = name.lastIndexOf("/");
  return cut < 0 ? null : name.slice(0, cut);
}

/** All groups above `name`, outermost first: "a/b/c" → ["a", "a/b"]. */
export function ancestorNames(name: string): string[] {
  const ancestors: string[] = [];
  for (let cut = name.indexOf("/"); cut >= 0; cut = name.indexOf("/", cut + 1)) ancestors.push(name.slice(0, cut));
  return ancestors;
}

/** `'a', 'b' and 3 more`, for a sentence. */
export function listNames(names: readonly string[], most = 10): string {
  const shown = names.slice(0, names.length === most + 1 ? names.length : most).map((name) => `'${name}'`);
  return withRest(shown, names.length);
}

/** `a, b and 3 more`: the shown names, and the number of the others; `all` is the number of both. */
export function withRest(shown: readonly string[], all: number): string {
  return `${shown.join(", ")}${all > shown.length ? ` and ${all - shown.length} more` : ""}`;
}

/** Whether `name` is `scope` itself or lies below it. */
export function isWithin(name: string, scope: string): boolean {
  return name === scope || (name.length > scope.length && name.startsWith(scope) && name[scope.length] === "/");
}
