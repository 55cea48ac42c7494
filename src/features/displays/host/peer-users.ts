import { readFileSync } from "node:fs";
import { endianness } from "node:os";

/** Columns of /proc/net/tcp: `sl local_address rem_address st tx:rx tr:tm retrnsmt uid timeout inode`. */
const [LOCAL, REMOTE, UID, INODE] = [1, 2, 7, 9];

/** The user of each connection from this machine to a TCP port of 127.0.0.1, by the `<ip>:<port>` of the client's end. */
export function peerUsers(port: number): Map<string, number> {
  const users = new Map<string, number>();
  for (const table of ["/proc/net/tcp", "/proc/net/tcp6"]) {
    for (const line of linesOf(table)) {
      const columns = line.trim().split(/\s+/);
      const [local, remote] = [columns[LOCAL], columns[REMOTE]].map((text) => endOf(text ?? ""));
      // A connection that its program has closed belongs to no user; the kernel then prints 0.
      if (remote === `127.0.0.1:${port}` && local && columns[INODE] !== "0") users.set(local, Number(columns[UID]));
    }
  }
  return users;
}

/** Parses `0100007F:1770`, in tcp6 after the prefix of IPv4 addresses; null for other addresses. */
function endOf(text: string): string | null {
  const [, address, port] = /^(?:0{16}(?:FFFF0000|0000FFFF))?([0-9A-F]{8}):([0-9A-F]{4})$/.exec(text) ?? [];
  if (address === undefined || port === undefined) return null;
  const bytes = Buffer.from(address, "hex");
  return `${(endianness() === "LE" ? bytes.reverse() : bytes).join(".")}:${Number.parseInt(port, 16)}`;
}

/** Lines of the table; none if there is no /proc: the users are unknown then. */
function linesOf(table: string): string[] {
  try {
    return readFileSync(table, "latin1").split("\n");
  } catch {
    return [];
  }
}
