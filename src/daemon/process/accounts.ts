import { z } from "zod";
import { MgrError, messageOf } from "../../base/errors.ts";
import { accountLines } from "../../files/accounts.ts";

/** A user other than the daemon's own, with all that a login would give. */
export const account = z.object({
  name: z.string(),
  uid: z.int(),
  gid: z.int(),
  /** The primary group and the supplementary ones. */
  groups: z.array(z.int()).readonly(),
  home: z.string(),
  shell: z.string(),
});
export type Account = z.infer<typeof account>;

/**
 * Returns the account for a process with `user`; null: that of this process. Throws `spawn_failed` for a user who is not in /etc/passwd
 * and, unless this process is root, for every user but its own.
 */
export function accountOf(user: string | null): Account | null {
  if (user === null) return null;
  const account = findAccount(user);
  if (account === null) throw refusal(`there is no user '${user}' in /etc/passwd; change 'user' or create the account`);
  const own = process.geteuid?.() ?? 0;
  if (account.uid === own) return null;
  if (own !== 0) {
    throw refusal(
      `only root can run a process as '${account.name}', and this daemon runs as uid ${own}; leave 'user' out or run the daemon as root`,
    );
  }
  return account;
}

function findAccount(user: string): Account | null {
  const entries = linesOf("/etc/passwd").filter((fields) => fields.length >= 7);
  // A name of digits is tried as a name first, as in chown(1).
  const entry = entries.find(([name]) => name === user) ?? entries.find(([, , uid]) => /^\d+$/.test(user) && Number(uid) === Number(user));
  if (entry === undefined) return null;
  const [name = "", , uid, gid, , home = "/", shell = ""] = entry;
  return { name, uid: Number(uid), gid: Number(gid), groups: groupsOf(name, Number(gid)), home, shell: shell || "/bin/sh" };
}

function groupsOf(name: string, primary: number): number[] {
  const member = linesOf("/etc/group").filter(([, , , members = ""]) => members.split(",").includes(name));
  return [...new Set([primary, ...member.map(([, , gid]) => Number(gid))])];
}

function linesOf(file: Parameters<typeof accountLines>[0]): string[][] {
  try {
    return accountLines(file);
  } catch (cause) {
    throw new MgrError("spawn_failed", `'user' cannot be looked up: ${messageOf(cause)}`, { cause });
  }
}

function refusal(message: string): MgrError {
  return new MgrError("spawn_failed", message);
}
