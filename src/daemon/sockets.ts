import { existsSync, lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { MgrError, messageOf } from "../base/errors.ts";

/**
 * The private folder for this instance's sockets, made if it is missing: `$XDG_RUNTIME_DIR/mgr/<16 hex>`, else
 * `/tmp/mgr-<uid>/<16 hex>`. Paths that are too long for the kernel are refused where one listens or connects. `conflict` if somebody else could have put a socket there.
 */
export function socketDir(uuid: string, base = process.env.XDG_RUNTIME_DIR): string {
  const folder = join(runtimeDir(base), uuid.replaceAll("-", "").slice(0, 16));
  makePrivate(folder);
  return folder;
}

/** The private folder of everything of this user that lasts no longer than the machine is up, made if it is missing. */
export function runtimeDir(base = process.env.XDG_RUNTIME_DIR): string {
  // The variable outlives the session that made its folder: su and cron pass it on.
  const folder = base && existsSync(base) ? join(base, "mgr") : `/tmp/mgr-${ownUid()}`;
  makePrivate(folder);
  return folder;
}

function ownUid(): number {
  return process.getuid?.() ?? 0;
}

function makePrivate(folder: string): void {
  const uid = ownUid();
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code !== "EEXIST") {
      throw new MgrError("conflict", `cannot make the folder for sockets: ${messageOf(cause)}`, { cause });
    }
  }
  const found = lstatSync(folder);
  if (found.isSymbolicLink()) throw new MgrError("conflict", `${folder} is a symbolic link; sockets go into a real folder only: remove it`);
  if (!found.isDirectory()) throw new MgrError("conflict", `${folder} is not a folder; sockets have to go there: remove it`);
  if (found.uid !== uid)
    throw new MgrError("conflict", `${folder} belongs to uid ${found.uid}, not to us (uid ${uid}): remove it, or set XDG_RUNTIME_DIR`);
  if ((found.mode & 0o077) !== 0)
    throw new MgrError("conflict", `${folder} is open to others (mode ${(found.mode & 0o777).toString(8)}); run: chmod 700 ${folder}`);
}
