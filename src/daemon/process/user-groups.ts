import { readFileSync } from "node:fs";

/** A group of this machine. */
export interface LocalGroup {
  readonly gid: number;
  /** Names of the users who are in it beside those whose own group it is. */
  readonly members: readonly string[];
}

/** The texts of /etc/passwd and /etc/group. Network directories are not queried: they may not answer. */
export interface UserDatabase {
  readonly passwd: string;
  readonly group: string;
}

/** Reads the database as it is now; an unreadable file has no entries. */
export function readUserDatabase(): UserDatabase {
  return { passwd: read("/etc/passwd"), group: read("/etc/group") };
}

/** The group of this name; null: there is none. */
export function findGroup({ group }: Pick<UserDatabase, "group">, name: string): LocalGroup | null {
  for (const line of group.split("\n")) {
    const [own, , gid = "", members = ""] = line.split(":");
    if (own === name && /^\d+$/.test(gid)) return { gid: Number(gid), members: members.split(",").filter((each) => each !== "") };
  }
  return null;
}

/** Whether a user is in the group: listed there, or with it as own group. */
export function isMember({ passwd }: Pick<UserDatabase, "passwd">, { gid, members }: LocalGroup, uid: number): boolean {
  return passwd.split("\n").some((line) => {
    const [name = "", , user = "", own = ""] = line.split(":");
    return name !== "" && /^\d+$/.test(user) && Number(user) === uid && (own === String(gid) || members.includes(name));
  });
}

function read(path: string): string {
  try {
    return readFileSync(path, "utf8");
  } catch {
    return "";
  }
}
