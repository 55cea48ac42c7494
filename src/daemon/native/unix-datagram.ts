import { closeSync } from "node:fs";
import { errnoName, libc, systemError } from "./libc.ts";

const socket = libc.func("int socket(int domain, int type, int protocol)") as (domain: number, type: number, protocol: number) => number;
const connect = libc.func("int connect(int fd, const void *address, uint32_t length)") as (
  fd: number,
  address: Buffer,
  length: number,
) => number;
const send = libc.func("long send(int fd, const void *data, size_t length, int flags)") as (
  fd: number,
  data: Buffer,
  length: number,
  flags: number,
) => number;

const AF_UNIX = 1;
const SOCK_DGRAM = 2;
const SOCK_CLOEXEC = 0o2000000;
const MSG_DONTWAIT = 0x40;
const MSG_NOSIGNAL = 0x4000;

/** A connected datagram socket of this machine, which Node does not have. Sending never waits. */
export class UnixDatagramSocket {
  readonly #fd: number;

  /** Throws the error of the system if no program receives at `path`, which is abstract if it begins with a zero (unix(7)). */
  constructor(path: string) {
    this.#fd = socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC, 0);
    if (this.#fd === -1) throw systemError("socket");
    // `struct sockaddr_un`: the family, and the path with its zero; the zero of an abstract one comes first.
    const name = Buffer.from(path.startsWith("\0") ? path : `${path}\0`);
    const address = Buffer.alloc(2 + name.length);
    address.writeUInt16LE(AF_UNIX);
    name.copy(address, 2);
    if (connect(this.#fd, address, address.length) === -1) {
      const error = systemError("connect");
      this.close();
      throw error;
    }
  }

  /** False: the receiver is too slow, and the datagram was dropped. Throws the error of the system if it has ended. */
  send(datagram: Buffer): boolean {
    if (send(this.#fd, datagram, datagram.length, MSG_DONTWAIT | MSG_NOSIGNAL) !== -1) return true;
    if (errnoName() === "EAGAIN") return false;
    throw systemError("send");
  }

  close(): void {
    closeSync(this.#fd);
  }
}
