import { readdirSync, readFileSync, readlinkSync } from "node:fs";

const LISTENING = "0A";
/** Columns of /proc/net/tcp: `sl local_address rem_address st … inode`. */
const [LOCAL, STATE, UID, INODE] = [1, 3, 7, 9];

/** The process that listens on a TCP port of this machine, as `pid 42 (node server.js)`, or null if that cannot be seen. */
export function portOwner(port: number): string | null {
  const inodes = new Set(["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) => listeningSockets(table, port)));
  if (inodes.size === 0) return null;
  const pid = attempt(() => readdirSync("/proc"))?.find((name) => /^\d+$/.test(name) && holdsOne(name, inodes));
  if (pid === undefined) return null;
  const command = attempt(() => readFileSync(`/proc/${pid}/cmdline`, "utf8"))
    ?.split("\0")
    .join(" ")
    .trim();
  return command ? `pid ${pid} (${command.slice(0, 200)})` : `pid ${pid}`;
}

/** The user (uid) of the process that listens on a TCP port of this machine, or null if none does. */
export function portUser(port: number): number | null {
  const [uid] = ["/proc/net/tcp", "/proc/net/tcp6"].flatMap((table) => listeners(table, port).map((columns) => columns[UID]));
  return uid === undefined ? null : Number(uid);
}

function listeningSockets(table: string, port: number): string[] {
  return listeners(table, port).flatMap((columns) => columns[INODE] ?? []);
}

/** The rows of listening sockets, as columns. */
function listeners(table: string, port: number): string[][] {
  const ending = `:${port.toString(16).toUpperCase().padStart(4, "0")}`;
  const lines = attempt(() => readFileSync(table, "utf8"))?.split("\n") ?? [];
  return lines
    .map((line) => line.trim().split(/\s+/))
    .filter((columns) => columns[LOCAL]?.endsWith(ending) && columns[STATE] === LISTENING && columns.length > INODE);
}

function holdsOne(pid: string, inodes: ReadonlySet<string>): boolean {
  const descriptors = attempt(() => readdirSync(`/proc/${pid}/fd`)) ?? [];
  return descriptors.some((descriptor) => {
    const target = attempt(() => readlinkSync(`/proc/${pid}/fd/${descriptor}`));
    return inodes.has(/^socket:\[(\d+)\]$/.exec(target ?? "")?.[1] ?? "");
  });
}

/** Processes of other users, and those that end meanwhile, cannot be read and are skipped. */
function attempt<T>(read: () => T): T | undefined {
  try {
    return read();
  } catch {
    return undefined;
  }
}
