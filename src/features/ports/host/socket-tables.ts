import { closeSync, openSync, readSync } from "node:fs";
import { endianness } from "node:os";

/** A socket that listens (TCP), or is bound without a peer (UDP). */
export interface BoundSocket {
  readonly protocol: "tcp" | "udp";
  readonly address: string;
  readonly port: number;
  readonly inode: string;
}

/** Most bytes of one table that are read: 25,000 sockets. */
const MAX_TABLE_BYTES = 4 * 1024 * 1024;
const PART_BYTES = 64 * 1024;

/** States in the tables of the kernel (include/net/tcp_states.h): TCP_LISTEN; TCP_CLOSE is that of a UDP socket without a peer. */
const STATES = { tcp: "0A", udp: "07" } as const;
const FILES = [
  ["tcp", "tcp"],
  ["tcp6", "tcp"],
  ["udp", "udp"],
  ["udp6", "udp"],
] as const;

/** Reads the tables of a process's network namespace, one a step. A table that cannot be read is left out: IPv6 may be switched off. */
export function* readBoundSockets(folder: string, add: (socket: BoundSocket) => void): Generator<undefined, boolean> {
  let isComplete = true;
  for (const [file, protocol] of FILES) {
    isComplete = readTable(`${folder}/${file}`, protocol, add) && isComplete;
    yield;
  }
  return isComplete;
}

/** Returns false for a table that is too long. */
function readTable(path: string, protocol: "tcp" | "udp", add: (socket: BoundSocket) => void): boolean {
  const buffer = Buffer.allocUnsafe(PART_BYTES);
  let fd: number;
  try {
    fd = openSync(path, "r");
  } catch {
    return true;
  }
  try {
    let rest = "";
    for (let total = 0; total < MAX_TABLE_BYTES; ) {
      const read = readSync(fd, buffer, 0, buffer.length, null);
      if (read === 0) return true;
      total += read;
      const lines = (rest + buffer.toString("latin1", 0, read)).split("\n");
      rest = lines.pop() ?? "";
      for (const line of lines) {
        const socket = parseSocket(line, protocol);
        if (socket !== null && socket !== "other") add(socket);
        // The kernel lists the sockets that listen before the connections, of which there may be many thousands.
        else if (socket === "other" && protocol === "tcp") return true;
      }
    }
    return false;
  } catch {
    return true; // The process has ended.
  } finally {
    closeSync(fd);
  }
}

/** A line such as `0: 0100007F:1F90 00000000:0000 0A …`. "other": a socket in another state; null: no socket. */
export function parseSocket(line: string, protocol: "tcp" | "udp"): BoundSocket | "other" | null {
  const [number, local, , state, , , , , , inode] = line.trim().split(/\s+/);
  const [, address, port] = /^([0-9A-F]{8}|[0-9A-F]{32}):([0-9A-F]{4})$/.exec(local ?? "") ?? [];
  if (!/^\d+:$/.test(number ?? "") || address === undefined || port === undefined || inode === undefined) return null;
  if (state !== STATES[protocol]) return "other";
  return { protocol, address: addressOf(address), port: Number.parseInt(port, 16), inode };
}

/** The kernel writes addresses as 32-bit numbers of the processor. An IPv4 address within IPv6 becomes plain IPv4. */
function addressOf(hex: string): string {
  const bytes = Buffer.from(hex, "hex");
  if (endianness() === "LE") bytes.swap32();
  if (bytes.length === 4) return bytes.join(".");
  if (bytes.subarray(0, 10).every((byte) => byte === 0) && bytes.readUInt16BE(10) === 0xffff) return bytes.subarray(12).join(".");
  const groups = Array.from({ length: 8 }, (_, index) => bytes.readUInt16BE(2 * index).toString(16));
  // The parser of URLs knows how an IPv6 address is shortened.
  return new URL(`http://[${groups.join(":")}]`).hostname.slice(1, -1);
}
