import { subscribe } from "node:diagnostics_channel";
import {
  chmodSync,
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";
import { cachedDataVersionTag } from "node:v8";
import { Script } from "node:vm";
import { STARTED } from "../base/started.ts";
import { isTrusted } from "../files/owners.ts";
import { flagsAsDefault, setEngineFlags } from "./engine-flags.ts";

const HASH_BYTES = 32;
/** Modes that do not depend on the umask: a user who can write bytecode decides what others run. */
const FOLDER_MODE = 0o755;
const FILE_MODE = 0o644;
const requireHere = createRequire(import.meta.url);

type Compiled = (exports: object, require: (id: string) => unknown, module: { exports: object }, file: string, folder: string) => void;

interface Fresh {
  readonly script: Script;
  readonly source: Buffer;
}

/**
 * Runs a bundle of CommonJS modules. The bytecode of its files is kept in `code-cache` beside them, so that the next start does not compile them
 * again (docs/decisions/0042). Files that other users than this one and root can write are ignored (docs/decisions/0049). Without that folder
 * everything works, more slowly. The program does not depend on this, nor on the flags of V8 that are set once it publishes that it is up.
 */
export function loadProgram(path: string): void {
  flagsAsDefault();
  const loader = new Loader(path);
  subscribe(STARTED, () => {
    // A long-running program may be killed, and with other flags nothing can be saved.
    loader.save();
    setEngineFlags();
  });
  process.on("exit", () => loader.save());
  loader.load(path);
}

class Loader {
  readonly #folder: string;
  /** Tag of this version of V8 with these flags. Flags that are set later make another tag. */
  readonly #tag = versionTag();
  readonly #cache: string;
  readonly #require: (id: string) => unknown;
  readonly #modules = new Map<string, { exports: object }>();
  readonly #fresh = new Map<string, Fresh>();

  constructor(main: string) {
    this.#folder = dirname(main);
    this.#cache = join(this.#folder, "code-cache", this.#tag);
    const requireOutside = createRequire(main);
    this.#require = (id) => (id.startsWith("./") ? this.load(join(this.#folder, id)) : requireOutside(id));
  }

  load(path: string): object {
    const known = this.#modules.get(path);
    if (known !== undefined) return known.exports;
    // The module is compiled before it is registered: one that cannot be read is tried again.
    const compiled: Compiled = this.#compile(path).runInThisContext();
    const module = { exports: {} };
    this.#modules.set(path, module);
    compiled.call(module.exports, module.exports, this.#require, module, path, this.#folder);
    return module.exports;
  }

  #compile(path: string): Script {
    const source = readFileSync(path);
    const cachedData = this.#cached(path, source);
    const script = new Script(`(function (exports, require, module, __filename, __dirname) { ${source.toString()}\n})`, {
      filename: path,
      ...(cachedData === null ? {} : { cachedData }),
    });
    if (cachedData === null || script.cachedDataRejected) this.#fresh.set(path, { script, source });
    return script;
  }

  #cached(path: string, source: Buffer): Buffer | null {
    try {
      if (![dirname(this.#cache), this.#cache].every(isTrustedFolder)) return null;
      const file = readTrusted(join(this.#cache, basename(path)));
      const data = file.subarray(HASH_BYTES);
      return hashOf(source, data).equals(file.subarray(0, HASH_BYTES)) ? data : null;
    } catch {
      return null; // Not saved yet.
    }
  }

  /** Saves the bytecode, including that of functions that were compiled since the file was loaded. */
  save(): void {
    if (this.#fresh.size === 0 || versionTag() !== this.#tag) return;
    try {
      // Another user, root too, would create a folder there that the owner cannot remove.
      if (statSync(this.#folder).uid !== process.geteuid?.()) return;
      makeFolder(dirname(this.#cache));
      makeFolder(this.#cache);
      for (const [path, { script, source }] of this.#fresh) {
        const data = script.createCachedData();
        replaceFile(join(this.#cache, basename(path)), Buffer.concat([hashOf(source, data), data]));
      }
    } catch {
      // Another user's installation, or a full disk: the next start compiles again.
    }
    this.#fresh.clear();
  }
}

/** V8 compares only the length of the source, and data that was damaged or made by another build would crash it. */
function hashOf(source: Buffer, data: Buffer): Buffer {
  // This is one of the largest modules of Node, so it is not loaded before its bytecode can be used (flagsAsDefault).
  const { createHash } = requireHere("node:crypto") as typeof import("node:crypto");
  return createHash("sha256").update(nodeIdentity()).update(source).update(data).digest();
}

function isTrustedFolder(path: string): boolean {
  const found = lstatSync(path);
  return found.isDirectory() && isTrusted(found);
}

function readTrusted(path: string): Buffer {
  const fd = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  try {
    const found = fstatSync(fd);
    if (!found.isFile() || !isTrusted(found)) throw new Error(`${path} may have been written by another user`);
    return readFileSync(fd);
  } finally {
    closeSync(fd);
  }
}

/**
 * Creates a folder without its parents: an installation that was removed below a running program stays removed. Throws if the path is something
 * else than a folder of this user, or is a link to one.
 */
function makeFolder(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) mkdirSync(path, { mode: FOLDER_MODE });
  else if (!found.isDirectory()) throw new Error(`${path} is not a folder`);
  // Only the owner can change the mode.
  if (((found?.mode ?? 0) & 0o777) !== FOLDER_MODE) chmodSync(path, FOLDER_MODE);
}

function replaceFile(path: string, content: Buffer): void {
  const draft = `${path}.${process.pid}`;
  try {
    const fd = openSync(draft, "wx", FILE_MODE);
    try {
      fchmodSync(fd, FILE_MODE);
      writeFileSync(fd, content);
    } finally {
      closeSync(fd);
    }
    renameSync(draft, path);
  } finally {
    rmSync(draft, { force: true });
  }
}

/** V8's own tag is the same for two releases of Node with different builds of one V8, whose bytecode differs. */
function versionTag(): string {
  return `${process.version}-${cachedDataVersionTag().toString(16)}`;
}

let node = "";

/** Identity of the build of Node: there may be several builds of one version. Read once: a command loads some twenty files. */
function nodeIdentity(): string {
  if (node === "") {
    const { size, mtimeMs } = statSync(process.execPath);
    node = `${size} ${mtimeMs} `;
  }
  return node;
}
