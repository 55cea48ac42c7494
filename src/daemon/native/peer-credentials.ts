import type { Socket } from "node:net";
import { descriptorOf } from "../../bus/carriers/socket-handle.ts";
import { getsockopt } from "./socket-options.ts";

/** Values on Linux for x64 and arm64. */
const SOL_SOCKET = 1;
const SO_PEERCRED = 17;
/** `struct ucred`: pid, uid and gid, 32 bits each. */
const UCRED_BYTES = 12;
const UID_OFFSET = 4;

/**
 * Returns the user at the other end of a unix socket from the kernel: of the process that connected, or that began to listen. null: the
 * connection is closed.
 */
export function peerUid(socket: Socket): number | null {
  const fd = descriptorOf(socket);
  const value = Buffer.alloc(UCRED_BYTES);
  const length = Buffer.alloc(4);
  length.writeUInt32LE(UCRED_BYTES);
  if (fd < 0 || getsockopt(fd, SOL_SOCKET, SO_PEERCRED, value, length) === -1) return null;
  return value.readUInt32LE(UID_OFFSET);
}

/** Whether the peer is trusted: it runs as the same user, or as root. */
export function isTrustedPeer(uid: number | null): uid is number {
  return uid !== null && (uid === 0 || uid === process.geteuid?.());
}
