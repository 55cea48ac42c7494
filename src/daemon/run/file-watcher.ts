import { type FSWatcher, watch } from "node:fs";
import { lstat, readdir, stat } from "node:fs/promises";
import { basename, dirname, join } from "node:path";
import { messageOf } from "../../base/errors.ts";
import type { Clock } from "../../base/timing/clock.ts";
import { linksOnPath } from "./links-on-path.ts";
import { type WatchRoot, watchRoots } from "./watch-globs.ts";

/** Changes are reported after this time without further ones, but after the second time at the latest. Milliseconds. */
const QUIET_MS = 200;
const MAX_WAIT_MS = 2_000;
/** Polling interval if the kernel's notifications are not available, and for folders that do not exist yet, milliseconds. */
const POLL_MS = 2_000;
/** Maximum number of folders and files in one scan. */
const MAX_FOLDERS = 2_000;
const MAX_FILES = 20_000;

interface FileWatcherOptions {
  /** Globs, absolute or relative to `base`. */
  globs: readonly string[];
  base: string;
  clock: Clock;
  /** Called when files were changed, added or removed, with the first of them. */
  onChange: (path: string) => void;
  onProblem: (msg: string) => void;
  /** The files as the program before this one had found them: changes since then are reported. */
  taken?: ReadonlyMap<string, string> | null;
}

interface Folder {
  watcher: FSWatcher | null;
  inode: number;
}

/** The result of one scan: file → a text that differs when the file has changed. */
interface FileScan {
  files: Map<string, string>;
  folders: Set<string>;
  /** Symbolic links on the paths to the roots: a link that is switched (as by a deployment) changes everything below it. */
  links: Set<string>;
  /** Whether some changes are not notified. */
  isBlind: boolean;
}

/**
 * Reports changes of files that globs match. The kernel's notifications only trigger a scan; changes are found by comparing scans, so that
 * events without a change of content are ignored.
 */
export class FileWatcher {
  readonly #options: FileWatcherOptions;
  readonly #roots: readonly WatchRoot[];
  readonly #folders = new Map<string, Folder>();
  /** Watchers of the folders that contain symbolic links, by link. */
  readonly #links = new Map<string, Folder>();
  #files: ReadonlyMap<string, string> | null;
  #timer: unknown = null;
  #poll: unknown = null;
  #dueBy = 0;
  #isLooking = false;
  #isAskedAgain = false;
  #hasComplained = false;
  #isOver = false;

  constructor(options: FileWatcherOptions) {
    this.#options = options;
    this.#roots = watchRoots(options.globs, options.base);
    this.#files = options.taken ?? null;
    this.#check();
  }

  /** The files as they were found last, with a text that changes when a file does; null: the first scan is in progress. */
  get files(): ReadonlyMap<string, string> | null {
    return this.#files;
  }

  end(): void {
    this.#isOver = true;
    this.#options.clock.clearTimeout(this.#timer);
    this.#options.clock.clearTimeout(this.#poll);
    for (const { watcher } of [...this.#folders.values(), ...this.#links.values()]) watcher?.close();
    this.#folders.clear();
    this.#links.clear();
  }

  #noticed(): void {
    if (this.#isOver) return;
    const { clock } = this.#options;
    const now = clock.monotonic();
    if (this.#timer === null) this.#dueBy = now + MAX_WAIT_MS;
    else clock.clearTimeout(this.#timer);
    this.#timer = clock.setTimeout(
      () => {
        this.#timer = null;
        this.#check();
      },
      Math.max(0, Math.min(QUIET_MS, this.#dueBy - now)),
    );
  }

  #check(): void {
    if (this.#isLooking) {
      this.#isAskedAgain = true;
      return;
    }
    this.#isLooking = true;
    this.#walkAll()
      .then((scan) => this.#compare(scan))
      .catch((error: unknown) => {
        this.#complain(`its files cannot be watched: ${messageOf(error)}; it is tried again`);
        if (!this.#isOver) this.#poll = this.#options.clock.setTimeout(() => this.#check(), POLL_MS);
      })
      .finally(() => {
        this.#isLooking = false;
        if (this.#isAskedAgain) this.#noticed();
        this.#isAskedAgain = false;
      });
  }

  #compare({ files, folders, links, isBlind }: FileScan): void {
    if (this.#isOver) return;
    const { clock, onChange } = this.#options;
    closeAllBut(folders, this.#folders);
    closeAllBut(links, this.#links);
    clock.clearTimeout(this.#poll);
    if (isBlind) this.#poll = clock.setTimeout(() => this.#check(), POLL_MS);
    const before = this.#files;
    this.#files = files;
    if (before === null) return;
    const changed =
      [...files].find(([path, mark]) => before.get(path) !== mark)?.[0] ?? [...before.keys()].find((path) => !files.has(path));
    if (changed !== undefined) onChange(changed);
  }

  async #walkAll(): Promise<FileScan> {
    const scan: FileScan = { files: new Map(), folders: new Set(), links: new Set(), isBlind: false };
    for (const root of this.#roots) await this.#walk(root, scan);
    return scan;
  }

  async #walk(root: WatchRoot, scan: FileScan): Promise<void> {
    for (const link of await linksOnPath(root.path)) await this.#attendLink(link, scan);
    const open = [root.path];
    for (let folder = open.pop(); folder !== undefined && !this.#isOver; folder = open.pop()) {
      if (scan.folders.size >= MAX_FOLDERS || scan.files.size >= MAX_FILES) {
        this.#complain(`'watch' covers more than ${MAX_FOLDERS} folders or ${MAX_FILES} files; only a part is watched: use narrower globs`);
        return;
      }
      // The folder is watched first: a change during the scan leads to another scan.
      if (!(await this.#attend(folder, scan))) continue;
      const entries = await readdir(folder, { withFileTypes: true }).catch(unlessAbsent([]));
      for (const entry of entries) {
        const path = join(folder, entry.name);
        if (entry.isDirectory()) {
          if (root.mayHold(path)) open.push(path);
        } else if (root.matches(path)) {
          const mark = await markOf(path);
          if (mark !== null) scan.files.set(path, mark);
        }
      }
    }
  }

  /** Watches a folder; false: it does not exist. */
  async #attend(path: string, scan: FileScan): Promise<boolean> {
    // If a root is a link, its target is watched; links below it are not followed.
    const isRoot = this.#roots.some((root) => root.path === path);
    const stats = await (isRoot ? stat(path) : lstat(path)).catch(() => null);
    if (!stats?.isDirectory()) {
      scan.isBlind = true;
      return false;
    }
    scan.folders.add(path);
    // A new name may be a folder; other changes count only if a glob matches.
    const concerns = (kind: string, name: string | null) =>
      kind === "rename" || name === null || this.#roots.some((root) => root.matches(join(path, name)));
    if (!this.#keepWatching(this.#folders, path, { folder: path, inode: stats.ino, concerns })) scan.isBlind = true;
    return true;
  }

  async #attendLink(link: string, scan: FileScan): Promise<void> {
    scan.links.add(link);
    const folder = dirname(link);
    const stats = await stat(folder).catch(() => null);
    const concerns = (_kind: string, name: string | null) => name === null || name === basename(link);
    if (stats === null || !this.#keepWatching(this.#links, link, { folder, inode: stats.ino, concerns })) scan.isBlind = true;
  }

  /** Returns false if the kernel's notifications are not available. */
  #keepWatching(
    watched: Map<string, Folder>,
    key: string,
    { folder, inode, concerns }: { folder: string; inode: number; concerns: (kind: string, name: string | null) => boolean },
  ): boolean {
    const known = watched.get(key);
    if (known?.inode === inode && known.watcher !== null) return true;
    known?.watcher?.close();
    const watcher = this.#isOver ? null : this.#watch(folder, concerns);
    const entry = { watcher, inode };
    watched.set(key, entry);
    watcher?.on("error", () => {
      entry.watcher = null;
      this.#noticed();
    });
    return watcher !== null;
  }

  #watch(folder: string, concerns: (kind: string, name: string | null) => boolean): FSWatcher | null {
    try {
      return watch(folder, { persistent: false }, (kind, name) => {
        if (concerns(kind, name)) this.#noticed();
      });
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code;
      if (code === "ENOSPC" || code === "EMFILE") {
        this.#complain(`the kernel's limit on watches is reached (fs.inotify); its files are looked at each ${POLL_MS / 1_000} s instead`);
      }
      return null;
    }
  }

  #complain(msg: string): void {
    if (this.#hasComplained) return;
    this.#hasComplained = true;
    this.#options.onProblem(msg);
  }
}

function closeAllBut(kept: ReadonlySet<string>, watched: Map<string, Folder>): void {
  for (const [key, { watcher }] of watched) {
    if (kept.has(key)) continue;
    watcher?.close();
    watched.delete(key);
  }
}

/** Text that differs when the file has changed; null: it is missing, or not a file. */
async function markOf(path: string): Promise<string | null> {
  const stats = await stat(path).catch(unlessAbsent(null));
  return stats?.isFile() ? `${stats.mtimeMs}:${stats.size}:${stats.ino}` : null;
}

const ABSENT = new Set(["ENOENT", "ENOTDIR", "EACCES", "ELOOP"]);

/** Returns `instead` for a file that is absent; any other error (EMFILE) must not count as "removed". */
function unlessAbsent<T>(instead: T): (error: NodeJS.ErrnoException) => T {
  return (error) => {
    if (!ABSENT.has(error.code ?? "")) throw error;
    return instead;
  };
}
