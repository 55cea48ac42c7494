import type { Socket } from "node:net";
import { libc } from "./libc.ts";

export const getsockopt = libc.func("int getsockopt(int fd, int level, int option, void *value, void *length)") as (
  fd: number,
  level: number,
  option: number,
  value: Buffer,
  length: Buffer,
) => number;

/** Node has no public way to a socket's descriptor. */
export function descriptorOf(socket: Socket): number {
  const { _handle: handle } = socket as Socket & { _handle?: { fd?: number } | null };
  return handle?.fd ?? -1;
}
