import { connect, type Socket } from "node:net";
import { MgrError } from "../../base/errors.ts";
import { isTrustedPeer, peerUid } from "../../daemon/native/peer-credentials.ts";

/**
 * Connects to a local socket. Nothing is sent to another user's program, which could read typed input; root may connect to every user's. `owner`: a user
 * whose manager is expected there.
 */
export function dialKernelChecked(path: string, owner: number | null = null): Socket {
  const socket = connect(path);
  // Checked before anything is sent: data written until then waits for listeners that are added after this one.
  socket.once("connect", () => {
    const uid = peerUid(socket);
    if (!isTrustedPeer(uid) && (uid === null || uid !== owner) && process.geteuid?.() !== 0)
      socket.destroy(new MgrError("forbidden", `${path} is served by another user (uid ${uid}), not by your manager`));
  });
  return socket;
}
