import type { Socket } from "node:net";
import { join } from "node:path";
import { messageOf } from "../../base/errors.ts";
import type { Config } from "../../config/definition.ts";
import { isTrustedPeer, peerUid } from "../../daemon/native/peer-credentials.ts";
import { findGroup, isMember, readUserDatabase, type UserDatabase } from "../../daemon/process/user-groups.ts";
import { UserNames } from "../../daemon/process/user-names.ts";
import { operatorFolder, removeOperatorFolder } from "../../daemon/session/operator-folder.ts";
import type { LocalSocketOptions, LocalUser } from "../../http/server/local-socket.ts";
import type { LogBook } from "../../log/log-book.ts";
import { CONTROL_SOCKET } from "./running-instance.ts";

interface OperatorSocketOptions {
  readonly uuid: string;
  /** The present configuration. */
  readonly access: () => Config["access"];
  readonly log: Pick<LogBook, "info" | "warn">;
}

/** The socket for members of `access.local_operators`; null: there is no such key, or the folder cannot be made, which the log says. */
export function operatorSocket({ uuid, access, log }: OperatorSocketOptions): { options: LocalSocketOptions; remove(): void } | null {
  const { local_operators: group } = access();
  if (group === null) return null;
  try {
    const gid = findGroup(readUserDatabase(), group)?.gid;
    if (gid === undefined) throw new Error(`there is no group '${group}' in /etc/group`);
    const folder = () => operatorFolder({ uuid, gid });
    const path = join(folder(), CONTROL_SOCKET);
    log.info(`members of the group '${group}' are operators with: mgr … --socket ${path}`);
    const identify = (socket: Socket) => operatorOf(peerUid(socket), access().local_operators, readUserDatabase());
    return { options: { path, group: gid, identify, home: { folder, moved() {} } }, remove: () => removeOperatorFolder(join(path, "..")) };
  } catch (error) {
    log.warn(`members of the group '${group}' (access.local_operators) are not served: ${messageOf(error)}`);
    return null;
  }
}

const names = new UserNames();

/** The user at the other end of the socket for operators: a member of the group, or the manager's own user or root, who are admins here, too. */
export function operatorOf(uid: number | null, group: string | null, database: UserDatabase): LocalUser {
  if (uid === null) return { refused: "it has ended" };
  names.refresh();
  if (isTrustedPeer(uid)) return { user: names.of(uid) };
  const found = group === null ? null : findGroup(database, group);
  if (found === null || !isMember(database, found, uid))
    return { refused: `uid ${uid} is not a member of ${group === null ? "access.local_operators" : `the group '${group}'`} in /etc/group` };
  return { user: names.of(uid), isOperator: true };
}
