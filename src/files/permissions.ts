import type { Stats } from "node:fs";
import { isGroupOf, userName } from "./accounts.ts";
import { EVERYONE_WRITE, FOREIGN_WRITE } from "./owners.ts";

/** Owner and mode of a file for a message: `owner ada, mode 0644`. */
export function ownerAndMode({ uid, mode }: Pick<Stats, "uid" | "mode">): string {
  return `owner ${userName(uid)}, mode ${(mode & 0o7777).toString(8).padStart(4, "0")}`;
}

/** The users other than trusted ones who can write a file of a trusted user, for a message; null: there are none. */
export function foreignWriters({ uid, gid, mode }: Pick<Stats, "uid" | "gid" | "mode">): string | null {
  if ((mode & EVERYONE_WRITE) !== 0) return "every user";
  if ((mode & FOREIGN_WRITE) === 0 || isGroupOf(gid, [uid, 0, process.geteuid?.() ?? 0])) return null;
  return `the other members of its group (gid ${gid})`;
}
