import { closeSync } from "node:fs";
import { errnoName, libc, systemError } from "./libc.ts";
import { setsockopt } from "./socket-options.ts";

const socket = libc.func("int socket(int domain, int type, int protocol)") as (domain: number, type: number, protocol: number) => number;
const bind = libc.func("int bind(int fd, const void *address, uint32_t length)") as (fd: number, address: Buffer, length: number) => number;
const inetPton = libc.func("int inet_pton(int family, const char *text, void *address)") as (
  family: number,
  text: string,
  address: Buffer,
) => number;

const AF_INET = 2;
const AF_INET6 = 10;
const SOCK_STREAM_CLOEXEC = 1 | 0o2000000;
const SOL_SOCKET = 1;
const SO_REUSEADDR = 2;

/**
 * Whether a TCP port of this machine could be listened on: null, or the name of the error (EADDRINUSE, EACCES …). Never listens, so that
 * nothing can connect meanwhile. `address` is an IP address.
 */
export function bindError(address: string, port: number): string | null {
  const family = address.includes(":") ? AF_INET6 : AF_INET;
  const fd = socket(family, SOCK_STREAM_CLOEXEC, 0);
  if (fd === -1) return errnoName();
  try {
    const on = Buffer.alloc(4);
    on.writeInt32LE(1);
    // As in Node: connections of an earlier listener that are still being closed do not prevent it.
    if (setsockopt(fd, SOL_SOCKET, SO_REUSEADDR, on, on.length) === -1) throw systemError("setsockopt");
    const place = socketAddress(family, address, port);
    return bind(fd, place, place.length) === -1 ? errnoName() : null;
  } finally {
    closeSync(fd);
  }
}

/** `struct sockaddr_in` or `sockaddr_in6`. */
function socketAddress(family: number, address: string, port: number): Buffer {
  const place = Buffer.alloc(family === AF_INET ? 16 : 28);
  place.writeUInt16LE(family, 0);
  place.writeUInt16BE(port, 2);
  // An IPv6 address comes after the flow label.
  const at = family === AF_INET ? 4 : 8;
  // The scope of an address (fe80::1%eth0) is checked by the real bind only.
  if (inetPton(family, address.replace(/%.*$/, ""), place.subarray(at)) !== 1) throw systemError("inet_pton");
  return place;
}
