import { constants } from "node:os";
import { libc, systemError } from "./libc.ts";

const execve = libc.func("int execve(const char *path, const char **argv, const char **envp)") as (
  path: string,
  argv: readonly (string | null)[],
  envp: readonly (string | null)[],
) => number;
const fcntl = libc.func("int fcntl(int fd, int command, ...)") as (fd: number, command: number, ...typed: unknown[]) => number;
const sigaction = libc.func("int sigaction(int signal, const void *action, void *before)") as (
  signal: number,
  action: Buffer,
  before: Buffer | null,
) => number;

const F_GETFD = 1;
const F_SETFD = 2;
const FD_CLOEXEC = 1;
/** Larger than `struct sigaction` of glibc and musl. All zeros are the default action. */
const SIGACTION_BYTES = 256;

/**
 * Lets SIGTERM end this process at once, whichever thread gets it. Returns the function that restores Node's handler. Blocked on this thread, the
 * signal would go to another one, and would be lost with this program.
 */
export function endAtSigterm(): () => void {
  const { SIGTERM } = constants.signals;
  const before = Buffer.alloc(SIGACTION_BYTES);
  if (sigaction(SIGTERM, Buffer.alloc(SIGACTION_BYTES), before) === -1) throw systemError("sigaction");
  return () => void sigaction(SIGTERM, before, null);
}

export interface Executed {
  readonly path: string;
  readonly argv: readonly string[];
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Descriptors that the program gets, besides 0, 1 and 2. */
  readonly descriptors: readonly number[];
}

/**
 * Replaces the program of this process; its other threads just end. Returns only by throwing, and this process is then as before. Node marks all of
 * its descriptors close-on-exec, 0, 1 and 2 too: the mark is taken off those that stay open.
 */
export function replaceProgram({ path, argv, environment, descriptors }: Executed): never {
  const unmarked: number[] = [];
  try {
    for (const fd of [0, 1, 2, ...descriptors]) {
      const flags = fcntl(fd, F_GETFD, "int", 0);
      // A daemon may have been started without one of the three.
      if (flags === -1 && fd > 2) throw systemError(`fcntl(F_GETFD) on descriptor ${fd}`);
      if (flags === -1 || (flags & FD_CLOEXEC) === 0) continue;
      if (fcntl(fd, F_SETFD, "int", 0) === -1) throw systemError("fcntl(F_SETFD)");
      unmarked.push(fd);
    }
    const variables = Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : `${name}=${value}`));
    execve(path, [...argv, null], [...variables, null]);
    throw systemError("execve");
  } finally {
    for (const fd of unmarked) fcntl(fd, F_SETFD, "int", FD_CLOEXEC);
  }
}
