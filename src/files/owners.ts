import { lstatSync, type Stats } from "node:fs";

/** Permissions with which others than the owner of a file can change it. */
export const FOREIGN_WRITE = 0o022;
/** Permission with which every user can change it. */
export const EVERYONE_WRITE = 0o002;

let ownerOfMachine: number | null = null;

/**
 * Whether the files of this user are trusted: the user is that of this process, or root, who can change everything anyway, or the owner of the root
 * folder, as which a user namespace shows unknown users.
 */
export function isTrustedOwner(uid: number): boolean {
  ownerOfMachine ??= lstatSync("/").uid;
  return uid === process.geteuid?.() || uid === 0 || uid === ownerOfMachine;
}

/** Whether only trusted users can have written the file or folder. */
export function isTrusted({ uid, mode }: Pick<Stats, "uid" | "mode">): boolean {
  return isTrustedOwner(uid) && (mode & FOREIGN_WRITE) === 0;
}
