import { chmodSync, chownSync, existsSync, lstatSync, mkdirSync, rmdirSync } from "node:fs";
import { dirname, join } from "node:path";
import { MgrError } from "../../base/errors.ts";
import { assertTrustedParents } from "../../files/state-folder.ts";

/** Others may pass through the upper folder; the lower one lets the group in. Neither can be listed or changed by others. */
const UPPER_MODE = 0o711;
const LOWER_MODE = 0o710;

export interface OperatorFolderOptions {
  /** Uuid of the instance. */
  readonly uuid: string;
  readonly gid: number;
  /** Folder that lasts until the machine goes down: /run, which only root can write, or else /tmp. */
  readonly base?: string;
}

/**
 * The folder of the socket for operators of this machine, created if it is missing: `<base>/mgr-<uid>-operators/<16 hex of uuid>`. Throws `conflict` if
 * another user could have made it, and a system error if it cannot be given to the group.
 */
export function operatorFolder({ uuid, gid, base = defaultBase() }: OperatorFolderOptions): string {
  const uid = process.geteuid?.() ?? 0;
  const upper = join(base, `mgr-${uid}-operators`);
  const folder = join(upper, uuid.replaceAll("-", "").slice(0, 16));
  makeOwn(upper, uid);
  chmodSync(upper, UPPER_MODE);
  makeOwn(folder, uid);
  chownSync(folder, uid, gid);
  chmodSync(folder, LOWER_MODE);
  const made = lstatSync(folder);
  if (made.gid !== gid || (made.mode & 0o777) !== LOWER_MODE)
    throw new MgrError("conflict", `${folder} cannot be given to the group ${gid}`);
  return folder;
}

/** Removes the folder when its socket is gone; what else is in it stays. */
export function removeOperatorFolder(folder: string): void {
  for (const each of [folder, dirname(folder)]) {
    try {
      rmdirSync(each);
    } catch {
      return; // Another instance of this user uses the upper folder, or a cleaner of /tmp was faster.
    }
  }
}

/** The user whose manager listens at such a path; null: the path has another form. */
export function ownerInPath(path: string): number | null {
  const [, uid] = /\/mgr-(\d+)-operators\/[^/]+\/[^/]+$/.exec(path) ?? [];
  return uid === undefined ? null : Number(uid);
}

const defaultBase = (): string => (process.geteuid?.() === 0 && existsSync("/run") ? "/run" : "/tmp");

function makeOwn(folder: string, uid: number): void {
  assertTrustedParents(folder);
  try {
    mkdirSync(folder, { mode: 0o700 });
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "EEXIST") throw error;
  }
  const found = lstatSync(folder);
  if (!found.isDirectory()) throw new MgrError("conflict", `${folder} is not a folder; the socket for operators must be there: remove it`);
  if (found.uid !== uid) throw new MgrError("conflict", `${folder} belongs to uid ${found.uid}, not to this user (uid ${uid}): remove it`);
}
