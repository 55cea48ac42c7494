import type { ConfigVersion } from "../../actors/control.ts";
import { MgrError } from "../../base/errors.ts";
import { hashOf } from "../../config/edit-file.ts";

const MAX_VERSIONS_PER_FILE = 30;
/** Maximum size of all texts together, bytes; the oldest are dropped first. */
const MAX_TOTAL_BYTES = 16 * 1024 * 1024;
/** Maximum size of a text, bytes: a larger one does not fit in a frame. */
const MAX_TEXT_BYTES = 1024 * 1024;

export interface KeptVersion extends ConfigVersion {
  readonly path: string;
}

/** Storage of the texts and the list of versions. */
export interface VersionStore {
  read(hash: string): Promise<string | null>;
  write(hash: string, content: string): Promise<void>;
  remove(hash: string): Promise<void>;
  saveList(versions: readonly KeptVersion[]): Promise<void>;
}

/** Keeps versions for as long as the program runs. */
export function memoryVersions(): VersionStore {
  const texts = new Map<string, string>();
  return {
    read: async (hash) => texts.get(hash) ?? null,
    write: async (hash, content) => void texts.set(hash, content),
    remove: async (hash) => void texts.delete(hash),
    saveList: async () => {},
  };
}

/** Earlier versions of the configuration's files (docs/decisions/0030-configuration-history.md). Calls must not overlap. */
export class ConfigHistory {
  readonly #store: VersionStore;
  /** All versions, the oldest first. */
  #versions: readonly KeptVersion[];

  constructor(store: VersionStore = memoryVersions(), saved: readonly KeptVersion[] = []) {
    this.#store = store;
    this.#versions = saved;
  }

  /** Versions of a file, the newest first. */
  of(path: string): ConfigVersion[] {
    return this.#versions
      .filter((version) => version.path === path)
      .reverse()
      .map(({ path: _, ...version }) => version);
  }

  /** The text of a version. Rejects with `not_found` if the version is not kept. */
  async text(path: string, hash: string): Promise<string> {
    const isKnown = this.#versions.some((version) => version.path === path && version.hash === hash);
    const content = isKnown ? await this.#store.read(hash) : null;
    if (content === null) throw new MgrError("not_found", `${path} has no kept version with this hash; list its versions again`);
    return content;
  }

  /** Keeps the text that a file has now, unless it is the newest version already. */
  async note(path: string, content: string, by: string | null, time: number): Promise<void> {
    const hash = hashOf(content);
    const size = Buffer.byteLength(content);
    if (size > MAX_TEXT_BYTES || this.of(path)[0]?.hash === hash) return;
    await this.#store.write(hash, content);
    const before = this.#versions;
    this.#versions = kept([...before, { path, hash, time, by, size }]);
    await this.#store.saveList(this.#versions);
    const used = new Set(this.#versions.map((version) => version.hash));
    for (const gone of new Set(before.map((version) => version.hash))) if (!used.has(gone)) await this.#store.remove(gone);
  }
}

/** Drops the oldest versions beyond the limits. A text that several versions have is kept, and counted, once. */
function kept(versions: readonly KeptVersion[]): KeptVersion[] {
  const perFile = new Map<string, number>();
  const texts = new Set<string>();
  let bytes = 0;
  const found: KeptVersion[] = [];
  for (const version of [...versions].reverse()) {
    const count = (perFile.get(version.path) ?? 0) + 1;
    if (count > MAX_VERSIONS_PER_FILE) continue;
    if (!texts.has(version.hash)) bytes += version.size;
    if (bytes > MAX_TOTAL_BYTES) break;
    texts.add(version.hash);
    perFile.set(version.path, count);
    found.push(version);
  }
  return found.reverse();
}
