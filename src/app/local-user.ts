import type { Socket } from "node:net";
import { isTrustedPeer, peerUid } from "../daemon/native/peer-credentials.ts";
import { UserNames } from "../daemon/process/user-names.ts";
import type { LocalUser } from "../http/server/local-socket.ts";

const names = new UserNames();

/** The user at the other end of a connection over the local socket: this user or root, no other. */
export function localUser(socket: Socket): LocalUser {
  const uid = peerUid(socket);
  if (!isTrustedPeer(uid)) return { refused: uid === null ? "it has ended" : `uid ${uid} is neither this user nor root` };
  names.refresh();
  return { user: names.of(uid) };
}
