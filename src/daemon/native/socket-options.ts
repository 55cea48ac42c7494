import type { Socket } from "node:net";
import { descriptorOf } from "../../bus/carriers/socket-handle.ts";
import { libc } from "./libc.ts";

export const getsockopt = libc.func("int getsockopt(int fd, int level, int option, void *value, void *length)") as (
  fd: number,
  level: number,
  option: number,
  value: Buffer,
  length: Buffer,
) => number;

export const setsockopt = libc.func("int setsockopt(int fd, int level, int option, const void *value, uint32_t length)") as (
  fd: number,
  level: number,
  option: number,
  value: Buffer,
  length: number,
) => number;

const IPPROTO_TCP = 6;
const TCP_NOTSENT_LOWAT = 25;
/** Maximum number of bytes that the kernel may hold unsent, which cannot be overtaken any more: 4 ms on a network of 16 Mbit/s. */
const MAX_UNSENT_BYTES = 8 * 1024;

const ioctl = libc.func("int ioctl(int fd, unsigned long request, void *value)") as (fd: number, request: number, value: Buffer) => number;
/** Request for the number of bytes in the send queue that were not sent yet (tcp(7)). */
const SIOCOUTQNSD = 0x894b;
const count = Buffer.alloc(4);

/** Number of bytes that the kernel holds for a TCP connection and has not sent; 0 for other sockets. */
export function unsentBytes(socket: Socket): number {
  const fd = descriptorOf(socket);
  return fd < 0 || ioctl(fd, SIOCOUTQNSD, count) === -1 ? 0 : count.readInt32LE();
}

/** Keeps the kernel from queueing megabytes for a slow network (tcp(7), TCP_NOTSENT_LOWAT). Without effect on other sockets. */
export function limitUnsent(socket: Socket): void {
  const value = Buffer.alloc(4);
  value.writeUInt32LE(MAX_UNSENT_BYTES);
  const fd = descriptorOf(socket);
  if (fd >= 0) setsockopt(fd, IPPROTO_TCP, TCP_NOTSENT_LOWAT, value, value.length);
}
