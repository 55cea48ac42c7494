import { readdirSync, readlinkSync } from "node:fs";
import type { Clock } from "../../../base/timing/clock.ts";
import type { Steps } from "../../../base/timing/turns.ts";
import { listPids, readStat } from "../../../daemon/proc/proc.ts";
import type { TaskOwners } from "../../../daemon/tree/task-owners.ts";
import { type ListeningPort, MAX_PORTS, type PortRow } from "../contract.ts";
import { type BoundSocket, readBoundSockets } from "./socket-tables.ts";

/** A scan does not examine descriptors for longer, milliseconds: a process may have a million of them. */
const MAX_SCAN_MS = 5_000;
/** Network namespaces that are read in one scan, at most. */
const MAX_NAMESPACES = 256;
/** Descriptors that are examined in one step. */
const DESCRIPTORS_PER_STEP = 32;

interface Member {
  readonly name: string;
  readonly pid: number;
}

interface Found {
  readonly ports: Map<string, ListeningPort>;
  isComplete: boolean;
}

interface ScanOptions {
  readonly clock: Pick<Clock, "monotonic">;
  readonly owners: TaskOwners;
  /** Processes that are scanned; null: all. */
  readonly names: ReadonlySet<string> | null;
  readonly add: (row: PortRow) => void;
}

/** Finds the ports of all trees in one pass: the sockets of each network namespace once, then which descriptors lead to them. */
export function* scanPorts({ clock, owners, names, add }: ScanOptions): Steps {
  const end = clock.monotonic() + MAX_SCAN_MS;
  const members: Member[] = [];
  yield* findMembers({ owners, names }, members);
  const sockets = new Map<string, { socket: BoundSocket; own_network: boolean }>();
  const isWhole = yield* readNamespaces(members, sockets);
  const rows = new Map<string, Found>();
  for (const { name, pid } of members) {
    const found = rows.get(name) ?? { ports: new Map(), isComplete: isWhole };
    rows.set(name, found);
    if (clock.monotonic() > end) found.isComplete = false;
    else yield* addPorts(pid, { sockets, found, isOver: () => clock.monotonic() > end });
  }
  for (const [name, { ports, isComplete }] of rows) add({ name, ports: [...ports.values()].sort(inOrder), complete: isComplete });
}

/** Parents are known only when all processes have been read. */
function* findMembers({ owners, names }: Pick<ScanOptions, "owners" | "names">, members: Member[]): Steps {
  const read: number[] = [];
  for (const pid of listPids()) {
    const stat = readStat(pid);
    if (stat !== null && !stat.ended) {
      owners.know(stat);
      read.push(pid);
    }
    yield;
  }
  for (const pid of read) {
    const name = owners.of(pid);
    if (name !== null && (names === null || names.has(name))) members.push({ name, pid });
    yield;
  }
}

/** Reads the tables of each network namespace of the members. Returns false if some could not be read. */
function* readNamespaces(
  members: readonly Member[],
  sockets: Map<string, { socket: BoundSocket; own_network: boolean }>,
): Generator<undefined, boolean> {
  const own = namespaceOf("self");
  const read = new Set<string>();
  let isWhole = true;
  for (const { pid } of members) {
    const namespace = namespaceOf(String(pid));
    yield;
    // That of another user's process is not readable, nor are its descriptors.
    if (namespace === null || read.has(namespace)) continue;
    if (read.size >= MAX_NAMESPACES) return false;
    read.add(namespace);
    const add = (socket: BoundSocket) => sockets.set(socket.inode, { socket, own_network: namespace !== own });
    isWhole = (yield* readBoundSockets(`/proc/${pid}/net`, add)) && isWhole;
  }
  return isWhole;
}

interface Search {
  readonly sockets: ReadonlyMap<string, { socket: BoundSocket; own_network: boolean }>;
  readonly found: Found;
  readonly isOver: () => boolean;
}

function* addPorts(pid: number, { sockets, found, isOver }: Search): Steps {
  const descriptors = descriptorsOf(pid);
  if (descriptors === null) found.isComplete = false;
  let examined = 0;
  for (const descriptor of descriptors ?? []) {
    const inode = /^socket:\[(\d+)\]$/.exec(linkAt(`/proc/${pid}/fd/${descriptor}`) ?? "")?.[1];
    const known = inode === undefined ? undefined : sockets.get(inode);
    if (known !== undefined) addPort(found, pid, known);
    if (++examined % DESCRIPTORS_PER_STEP !== 0) continue;
    yield DESCRIPTORS_PER_STEP;
    if (!isOver()) continue;
    found.isComplete = false;
    return;
  }
  yield;
}

function addPort(found: Found, pid: number, { socket, own_network }: { socket: BoundSocket; own_network: boolean }): void {
  const { protocol, address, port } = socket;
  const key = [protocol, address, port, own_network].join();
  // Several sockets of one port share its packets (SO_REUSEPORT); several processes share a socket.
  if (found.ports.has(key)) return;
  if (found.ports.size >= MAX_PORTS) found.isComplete = false;
  else found.ports.set(key, { protocol, address, port, pid, own_network });
}

/** Null: they may not be read. A process that has ended has none. */
function descriptorsOf(pid: number): string[] | null {
  try {
    return readdirSync(`/proc/${pid}/fd`);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ESRCH") return [];
    return null;
  }
}

const namespaceOf = (pid: string): string | null => linkAt(`/proc/${pid}/ns/net`);

/** Null: it is gone, or may not be read. */
function linkAt(path: string): string | null {
  try {
    return readlinkSync(path);
  } catch {
    return null;
  }
}

function inOrder(a: ListeningPort, b: ListeningPort): number {
  return a.protocol.localeCompare(b.protocol) || a.port - b.port || (a.address < b.address ? -1 : 1);
}
