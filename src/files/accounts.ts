import { readFileSync } from "node:fs";

/** The fields of each line of /etc/passwd or /etc/group. Throws if the file cannot be read. */
export function accountLines(file: "/etc/passwd" | "/etc/group"): string[][] {
  return readFileSync(file, "utf8")
    .split("\n")
    .map((line) => line.split(":"));
}

/** The name of a user as ls shows it: a number for a user who is not in /etc/passwd. */
export function userName(uid: number): string {
  const name = linesOrNone("/etc/passwd").find(([, , id]) => id === String(uid))?.[0];
  return name ?? `uid ${uid}`;
}

/**
 * Whether the group has no member but these users, so that its permissions are theirs, as with a umask of 002. A group that is not in
 * /etc/group belongs to the user with its number: directories on the network are not queried, they may not answer.
 */
export function isGroupOf(gid: number, uids: readonly number[]): boolean {
  const group = linesOrNone("/etc/group").find(([, , id]) => id === String(gid));
  const accounts = linesOrNone("/etc/passwd").filter(([name = ""]) => name !== "");
  const isTheirs = (uid = "") => uids.some((each) => uid === String(each));
  if (group === undefined && !isTheirs(String(gid))) return false;
  const members = (group?.[3] ?? "").split(",").filter((name) => name !== "");
  const named = members.every((member) => isTheirs(accounts.find(([name]) => name === member)?.[2]));
  return named && accounts.every(([, , uid, primary]) => primary !== String(gid) || isTheirs(uid));
}

/** The lines of the file; none if it cannot be read. */
function linesOrNone(file: "/etc/passwd" | "/etc/group"): string[][] {
  try {
    return accountLines(file);
  } catch {
    return [];
  }
}
