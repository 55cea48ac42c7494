import { existsSync, lstatSync, mkdirSync, mkdtempSync, readlinkSync, rmSync, symlinkSync } from "node:fs";
import { join } from "node:path";
import { MgrError, messageOf } from "../../base/errors.ts";
import { MAX_SOCKET_PATH } from "../../bus/carriers/unix-listener.ts";
import { assertTrustedParents } from "../../files/state-folder.ts";

/** Maximum length of a socket's name in its folder, bytes. */
const MAX_NAME_BYTES = 20;
/** Link in the state folder to the folder that had to get a random name. */
const RANDOM_LINK = "run.link";

export interface SocketDirOptions {
  /** Uuid of the instance. */
  uuid: string;
  stateDir: string;
  /** Value of `$XDG_RUNTIME_DIR`. */
  base?: string | undefined;
  /** A folder in which every user may create folders, such as /tmp. */
  tmp?: string;
}

export interface SocketDir {
  readonly path: string;
  /** Reasons why preferred folders cannot be used, as sentences. */
  readonly problems: readonly string[];
}

/**
 * Returns the private folder for this instance's sockets, created if it is missing: `<runtime folder>/<16 hex of uuid>`. Other users can
 * occupy the names in /tmp, and the kernel refuses long paths of sockets: then it is `<stateDir>/run`, else a folder in /tmp with a random
 * name, to which `<stateDir>/run.link` leads. Throws `conflict` if there is none.
 */
export function socketDir({ uuid, stateDir, base = process.env.XDG_RUNTIME_DIR, tmp = "/tmp" }: SocketDirOptions): SocketDir {
  const problems: string[] = [];
  const name = uuid.replaceAll("-", "").slice(0, 16);
  const candidates = [
    ...runtimeFolders(base, tmp).map((folder) => () => {
      makePrivate(folder);
      return join(folder, name);
    }),
    () => join(stateDir, "run"),
    () => randomFolder(stateDir, tmp),
  ];
  for (const candidate of candidates) {
    try {
      const path = candidate();
      assertRoom(path);
      makePrivate(path);
      return { path, problems };
    } catch (error) {
      problems.push(messageOf(error));
    }
  }
  throw new MgrError("conflict", `there is no folder for sockets: ${problems.join("; ")}`);
}

/** The private folders of this user that last until the machine goes down, the preferred one first. They may be missing. */
export function runtimeFolders(base = process.env.XDG_RUNTIME_DIR, tmp = "/tmp"): string[] {
  // The variable outlives the session that made its folder: su and cron pass it on.
  const ofSession = base && existsSync(base) ? [join(base, "mgr")] : [];
  return [...ofSession, join(tmp, `mgr-${ownUid()}`)];
}

/** Creates the folder if it is missing. Throws `conflict` unless it belongs to this user alone, and no other user can replace it. */
export function makePrivate(folder: string): void {
  // A runtime folder that su has passed on belongs to the user who called su.
  assertTrustedParents(folder);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") {
      throw new MgrError("conflict", `cannot make the folder for sockets: ${messageOf(cause)}`, { cause });
    }
  }
  assertPrivate(folder);
}

/** Throws `conflict` unless only this user can have written into the folder. */
export function assertPrivate(folder: string): void {
  const uid = ownUid();
  const found = lstatSync(folder);
  if (found.isSymbolicLink()) throw new MgrError("conflict", `${folder} is a symbolic link; sockets need a real folder: remove the link`);
  if (!found.isDirectory()) throw new MgrError("conflict", `${folder} is not a folder; sockets must be there: remove it`);
  if (found.uid !== uid)
    throw new MgrError(
      "conflict",
      `${folder} belongs to uid ${found.uid}, not to this user (uid ${uid}): remove it, or set XDG_RUNTIME_DIR`,
    );
  if ((found.mode & 0o077) !== 0)
    throw new MgrError("conflict", `${folder} is open to others (mode ${(found.mode & 0o777).toString(8)}); run: chmod 700 ${folder}`);
}

function ownUid(): number {
  return process.getuid?.() ?? 0;
}

function assertRoom(folder: string): void {
  const length = Buffer.byteLength(folder) + 1 + MAX_NAME_BYTES;
  if (length > MAX_SOCKET_PATH)
    throw new MgrError("bad_field", `${folder} is too long a path for sockets: at most ${MAX_SOCKET_PATH - 1 - MAX_NAME_BYTES} bytes`);
}

/** Returns the same folder as long as it exists. */
function randomFolder(stateDir: string, tmp: string): string {
  const link = join(stateDir, RANDOM_LINK);
  const known = readLink(link);
  if (known !== null && isOurs(known)) return known;
  const folder = mkdtempSync(join(tmp, `mgr-${ownUid()}-`));
  rmSync(link, { force: true });
  symlinkSync(folder, link);
  return folder;
}

function readLink(link: string): string | null {
  try {
    return readlinkSync(link);
  } catch {
    return null; // Missing, or not a link.
  }
}

function isOurs(folder: string): boolean {
  const found = lstatSync(folder, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === ownUid();
}
