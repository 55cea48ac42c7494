import { existsSync, lstatSync, mkdirSync } from "node:fs";
import { join } from "node:path";
import { MgrError, messageOf } from "../base/errors.ts";

/** Longest path of a unix socket, bytes: the kernel's 108 less the closing NUL. Node cuts longer ones off silently. */
export const MAX_SOCKET_PATH_BYTES = 107;

/**
 * The private folder for this instance's sockets, made if it is missing: `$XDG_RUNTIME_DIR/mgr/<16 hex>`, else
 * `/tmp/mgr-<uid>/<16 hex>`. `conflict` if somebody else could have put a socket there.
 */
export function socketDir(uuid: string, runtimeDir = process.env.XDG_RUNTIME_DIR): string {
  const uid = process.getuid?.() ?? 0;
  // The variable outlives the session that made its folder: su and cron pass it on.
  const top = runtimeDir && existsSync(runtimeDir) ? join(runtimeDir, "mgr") : `/tmp/mgr-${uid}`;
  const folder = join(top, uuid.replaceAll("-", "").slice(0, 16));
  makePrivate(top, uid);
  makePrivate(folder, uid);
  return folder;
}

/** The path as it is, or `bad_field` if the kernel could not take it whole. */
export function checkSocketPath(path: string): string {
  const bytes = Buffer.byteLength(path);
  if (bytes <= MAX_SOCKET_PATH_BYTES) return path;
  throw new MgrError(
    "bad_field",
    `the socket path ${path} has ${bytes} bytes, the kernel takes ${MAX_SOCKET_PATH_BYTES}; set XDG_RUNTIME_DIR to a shorter folder`,
  );
}

function makePrivate(folder: string, uid: number): void {
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
