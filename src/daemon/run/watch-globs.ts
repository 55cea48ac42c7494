import { basename, dirname, relative, resolve } from "node:path";
import picomatch from "picomatch";

/** Folders that are ignored, unless a glob names them itself. */
const IGNORED = new Set(["node_modules", ".git"]);

/** A folder to search, and a test for its entries. */
export interface WatchRoot {
  /** Absolute path. */
  path: string;
  matches(file: string): boolean;
  /** Whether anything in this folder, which lies below the root, can match. */
  mayHold(folder: string): boolean;
}

/** `globs` are absolute or relative to `base`; a leading `!` excludes. A path without wildcards is a file, or a folder and its content. */
export function watchRoots(globs: readonly string[], base: string): WatchRoot[] {
  const scans = globs.map((glob) => ({ ...picomatch.scan(glob), whole: glob }));
  const excluded = scans.filter(({ negated }) => negated).map((scan) => oneRoot(scan, base));
  return scans
    .filter(({ negated }) => !negated)
    .map((scan) => {
      const root = oneRoot(scan, base);
      return { ...root, matches: (file) => root.matches(file) && !excluded.some((other) => other.matches(file)) };
    });
}

function oneRoot({ base: folder, glob }: { base: string; glob: string }, base: string): WatchRoot {
  const path = resolve(base, folder);
  return glob === "" ? exactRoot(path) : globRoot(path, glob);
}

function exactRoot(path: string): WatchRoot {
  const root = dirname(path);
  const isWithin = (file: string) => file === path || file.startsWith(`${path}/`);
  return { path: root, matches: isWithin, mayHold: (folder) => isWithin(folder) && (folder === path || !IGNORED.has(basename(folder))) };
}

function globRoot(path: string, glob: string): WatchRoot {
  const isMatch = picomatch(glob, { dot: true });
  const named = new Set(glob.split("/"));
  const depth = glob.includes("**") ? Number.POSITIVE_INFINITY : glob.split("/").length - 1;
  const within = (file: string) => {
    const inside = relative(path, file);
    return inside.startsWith("../../") ? null : inside;
  };
  return {
    path,
    matches: (file) => {
      const inside = within(file);
      return inside !== null && isMatch(inside);
    },
    mayHold: (folder) => {
      const name = basename(folder);
      return (within(folder)?.split("/").length ?? Number.POSITIVE_INFINITY) <= depth && (!IGNORED.has(name) || named.has(name));
    },
  };
}
