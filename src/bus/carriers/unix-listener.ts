import { lstatSync } from "node:fs";
import { chmod, chown, lstat, unlink } from "node:fs/promises";
import { connect, createServer, type Server, type Socket } from "node:net";
import { basename, join } from "node:path";
import { isMainThread } from "node:worker_threads";
import { MgrError, messageOf } from "../../base/errors.ts";
import { untilBeat } from "../../base/timing/clock.ts";
import { descriptorBudget } from "./descriptor-budget.ts";

/** Maximum length of a unix socket's path, bytes: `sun_path` has 108 with its NUL, and longer ones are cut silently. */
export const MAX_SOCKET_PATH = 107;

/** Interval between checks that the socket file still exists, milliseconds. */
const CHECK_INTERVAL_MS = 2_000;

interface Handlers {
  accept(socket: Socket): void;
  /** Called when a connection could not be accepted (no file descriptors, for example), or the socket file not restored; listening continues. */
  failed(error: Error): void;
}

/** Folders for a socket that must survive their removal by cleaners of /tmp or at the end of a session. */
export interface SocketHome {
  /** The current folder of the socket, created if missing. May throw. */
  folder(): string;
  /** Called when the socket has moved to another folder. */
  moved(path: string): void;
}

/**
 * Listens on a unix socket that only its owner may use, and with `group` also this group. A stale socket file is replaced; with `home`, a socket file that
 * was removed is created again. Rejects with `bad_field` (path too long), `conflict` (another process listens there, or
 * the file is not a socket) or `internal`.
 */
export async function listenUnix(
  path: string,
  handlers: Handlers,
  home?: SocketHome,
  group: number | null = null,
): Promise<{ close(): Promise<void> }> {
  let bound = await bind(path, handlers, group);
  let isClosed = false;
  let timer: NodeJS.Timeout | null = null;
  const check = async (at: SocketHome) => {
    if (isThere(bound)) return;
    const next = join(at.folder(), basename(path));
    assertSocketPath(next);
    await removeStale(next);
    if (isClosed) return;
    // Connections of the old socket stay open. It is closed before the new one is bound, because closing removes the file at its path.
    bound.server.close();
    const before = bound.path;
    bound = await bind(next, handlers, group);
    if (next !== before) at.moved(next);
    if (isClosed) bound.server.close();
  };
  const again = (at: SocketHome) => {
    if (isClosed) return;
    timer = setTimeout(
      () => {
        check(at)
          .catch((error: unknown) => handlers.failed(new Error(`its file was removed and cannot be made again: ${messageOf(error)}`)))
          .then(() => again(at));
      },
      untilBeat(CHECK_INTERVAL_MS, performance.now()),
    );
    timer.unref();
  };
  if (home) again(home);
  return {
    close: () => {
      isClosed = true;
      if (timer) clearTimeout(timer);
      return new Promise<void>((resolve) => bound.server.close(() => resolve()));
    },
  };
}

interface Bound {
  server: Server;
  path: string;
  /** Device and inode of the file. */
  dev: number;
  ino: number;
}

async function bind(path: string, handlers: Handlers, group: number | null): Promise<Bound> {
  assertSocketPath(path);
  await removeStale(path);
  const server = createServer((socket) => {
    if (descriptorBudget.acquire(socket, "local")) handlers.accept(socket);
    else {
      socket.destroy();
      handlers.failed(new Error("there are too many connections over unix sockets"));
    }
  });
  await new Promise<void>((resolve, reject) => {
    const refuse = (cause: Error) => reject(new MgrError("internal", `cannot listen on ${path}: ${cause.message}`, { cause }));
    server.once("error", refuse);
    server.once("listening", () => {
      server.off("error", refuse);
      server.on("error", handlers.failed);
      resolve();
    });
    // The file is created within this call. With this umask, no other user can open it before its mode is set.
    const mask = isMainThread ? process.umask(0o177) : null;
    try {
      server.listen(path);
    } finally {
      if (mask !== null) process.umask(mask);
    }
  });
  const { dev, ino } = await giveTo(group, path).then(
    () => lstat(path),
    // Already removed: the next check detects that.
    () => ({ dev: -1, ino: -1 }),
  );
  return { server, path, dev, ino };
}

/** Sets who may connect: the owner alone, or the group, too (null: none). */
async function giveTo(group: number | null, path: string): Promise<void> {
  if (group !== null) await chown(path, process.geteuid?.() ?? 0, group);
  await chmod(path, group === null ? 0o600 : 0o660);
}

/** Whether the socket file is in place. Synchronous: it is in a file system of this machine, and the thread pool costs ten times as much. */
function isThere({ path, dev, ino }: Bound): boolean {
  try {
    const found = lstatSync(path, { throwIfNoEntry: false });
    return found?.dev === dev && found.ino === ino;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOTDIR") return false;
    throw error;
  }
}

export function assertSocketPath(path: string): void {
  const length = Buffer.byteLength(path);
  if (length <= MAX_SOCKET_PATH) return;
  throw new MgrError(
    "bad_field",
    `the socket path ${path} has ${length} bytes, the system allows ${MAX_SOCKET_PATH}; choose a shorter XDG_RUNTIME_DIR or state_dir`,
  );
}

async function removeStale(path: string): Promise<void> {
  const found = await lstat(path).catch((error: NodeJS.ErrnoException) => {
    if (error.code === "ENOENT") return null;
    throw new MgrError("internal", `cannot inspect ${path}: ${error.message}`, { cause: error });
  });
  if (!found) return;
  if (!found.isSocket()) throw new MgrError("conflict", `${path} exists and is not a socket; remove it or choose another path`);
  if (await isServed(path)) throw new MgrError("conflict", `another program serves ${path}; stop it first`);
  await unlink(path).catch((cause: unknown) => {
    throw new MgrError("internal", `cannot remove the stale socket ${path}: ${messageOf(cause)}`, { cause });
  });
}

function isServed(path: string): Promise<boolean> {
  return new Promise((resolve, reject) => {
    const socket = connect(path);
    socket.once("connect", () => {
      socket.destroy();
      resolve(true);
    });
    socket.once("error", (cause: NodeJS.ErrnoException) => {
      if (cause.code === "ECONNREFUSED" || cause.code === "ENOENT") resolve(false);
      // EAGAIN: the backlog is full, so a process is listening.
      else if (cause.code === "EAGAIN") resolve(true);
      else reject(new MgrError("internal", `cannot determine which program serves ${path}: ${cause.message}`, { cause }));
    });
  });
}
