import { chmod, lstat, unlink } from "node:fs/promises";
import { connect, createServer, type Socket } from "node:net";
import { isMainThread } from "node:worker_threads";
import { MgrError, messageOf } from "../base/errors.ts";
import { descriptorBudget } from "./descriptor-budget.ts";

/** Longest path of a unix socket, bytes: `sun_path` has 108 with its NUL, and longer ones are cut silently. */
export const MAX_SOCKET_PATH = 107;

/**
 * Listens on a unix socket that only its owner may use. A socket file that nobody serves any more is replaced.
 * Rejects with `bad_field` (path too long), `conflict` (somebody serves there, or it is no socket) or `internal`.
 */
export async function listenUnix(
  path: string,
  handlers: {
    accept(socket: Socket): void;
    /** One connection could not be taken, for example for want of file descriptors; the socket goes on. */
    failed(error: Error): void;
  },
): Promise<{ close(): Promise<void> }> {
  assertSocketPath(path);
  await removeStale(path);
  const server = createServer((socket) => {
    if (descriptorBudget.take(socket, "local")) handlers.accept(socket);
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
    // The file is made within this call: with the mask nobody else can open it before its mode is set.
    const mask = isMainThread ? process.umask(0o177) : null;
    try {
      server.listen(path);
    } finally {
      if (mask !== null) process.umask(mask);
    }
  });
  await chmod(path, 0o600);
  return {
    close: () => new Promise<void>((resolve) => server.close(() => resolve())),
  };
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
    throw new MgrError("internal", `cannot look at ${path}: ${error.message}`, { cause: error });
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
      // EAGAIN: its backlog is full, so somebody does listen.
      else if (cause.code === "EAGAIN") resolve(true);
      else reject(new MgrError("internal", `cannot find out who serves ${path}: ${cause.message}`, { cause }));
    });
  });
}
