import { constants } from "node:os";
import { libc, systemError } from "./libc.ts";

const execve = libc.func("int execve(const char *path, const char **argv, const char **envp)") as (
  path: string,
  argv: readonly (string | null)[],
  envp: readonly (string | null)[],
) => number;
const fcntl = libc.func("int fcntl(int fd, int command, ...)") as (fd: number, command: number, ...typed: unknown[]) => number;
const memfdCreate = libc.func("int memfd_create(const char *name, uint32_t flags)") as (name: string, flags: number) => number;
const sigaction = libc.func("int sigaction(int signal, const void *action, void *before)") as (
  signal: number,
  action: Buffer,
  before: Buffer | null,
) => number;

const F_GETFD = 1;
const F_SETFD = 2;
const F_ADD_SEALS = 1033;
const FD_CLOEXEC = 1;
const MFD_CLOEXEC = 1;
const MFD_ALLOW_SEALING = 2;
/** F_SEAL_SEAL, F_SEAL_SHRINK, F_SEAL_GROW, F_SEAL_WRITE. */
const ALL_SEALS = 0x1 | 0x2 | 0x4 | 0x8;
/** Larger than `struct sigaction` of glibc and musl. All zeros are the default action. */
const SIGACTION_BYTES = 256;

/** Opens a file in memory, which children do not inherit. */
export function openMemoryFile(name: string): number {
  const fd = memfdCreate(name, MFD_CLOEXEC | MFD_ALLOW_SEALING);
  if (fd === -1) throw systemError("memfd_create");
  return fd;
}

/** Makes a file in memory unchangeable for good. */
export function sealMemoryFile(fd: number): void {
  if (fcntl(fd, F_ADD_SEALS, "int", ALL_SEALS) === -1) throw systemError("fcntl(F_ADD_SEALS)");
}

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
