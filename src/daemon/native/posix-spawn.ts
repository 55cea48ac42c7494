import { libc, O_CLOEXEC } from "./libc.ts";

// posix_spawn(3) instead of Node's spawn: Node reports an exit by a real-time signal as "code 0", uses a thread pool and a pipe for each
// child, and cannot make a terminal the child's own without a shell in between (docs/decisions/0010).

type Call = (...values: unknown[]) => number;
const call = (declaration: string): Call => libc.func(declaration) as Call;

const posixSpawn = call(
  "int posix_spawn(void *pid, const char *path, const void *actions, const void *attributes, const char **argv, const char **envp)",
);
const initActions = call("int posix_spawn_file_actions_init(void *actions)");
const destroyActions = call("int posix_spawn_file_actions_destroy(void *actions)");
const addOpen = call("int posix_spawn_file_actions_addopen(void *actions, int fd, const char *path, int flags, uint32_t mode)");
const addDuplicate = call("int posix_spawn_file_actions_adddup2(void *actions, int fd, int as)");
const addDirectory = optional("int posix_spawn_file_actions_addchdir_np(void *actions, const char *path)");
const initAttributes = call("int posix_spawnattr_init(void *attributes)");
const setFlags = call("int posix_spawnattr_setflags(void *attributes, short flags)");
const setMask = call("int posix_spawnattr_setsigmask(void *attributes, const void *set)");
const setDefaults = call("int posix_spawnattr_setsigdefault(void *attributes, const void *set)");
const pipe2 = call("int pipe2(void *fds, int flags)");

const SETSIGDEF = 0x04;
const SETSIGMASK = 0x08;
const SETSID = 0x80;
const O_RDWR = 2;
/** Larger than `posix_spawn_file_actions_t`, `posix_spawnattr_t` (336 bytes in glibc) and `sigset_t` (128). */
const STRUCT_BYTES = 512;

const attributes = Buffer.alloc(STRUCT_BYTES);
initAttributes(attributes);
setFlags(attributes, SETSIGDEF | SETSIGMASK | SETSID);
// No signal is blocked or ignored in a child, whatever this process does with its own.
setMask(attributes, Buffer.alloc(STRUCT_BYTES));
setDefaults(attributes, Buffer.alloc(STRUCT_BYTES, 0xff));

export interface Spawned {
  /** Path of the executable; a relative one starts at `cwd`. */
  path: string;
  argv: readonly string[];
  environment: Readonly<Record<string, string>>;
  cwd: string;
  /** Opened as standard input, output and error; a terminal thereby becomes the child's controlling one. */
  standard: string;
  /** Becomes descriptor 3. */
  extra?: number | undefined;
}

/** Whether posix_spawn can enter `cwd`: on C libraries before glibc 2.29, a shell has to. */
export const CAN_CHANGE_DIRECTORY = addDirectory !== null;

/** Starts a program as the leader of its own session. Returns its pid, or the negative errno of a failure. */
export function spawnLeader({ path, argv, environment, cwd, standard, extra }: Spawned): number {
  const actions = Buffer.alloc(STRUCT_BYTES);
  initActions(actions);
  try {
    addOpen(actions, 0, standard, O_RDWR, 0);
    addDuplicate(actions, 0, 1);
    addDuplicate(actions, 0, 2);
    if (extra !== undefined) addDuplicate(actions, extra, 3);
    addDirectory?.(actions, cwd);
    const pid = Buffer.alloc(4);
    const variables = Object.entries(environment).map(([name, value]) => `${name}=${value}`);
    const error = posixSpawn(pid, path, actions, attributes, [...argv, null], [...variables, null]);
    return error === 0 ? pid.readInt32LE() : -error;
  } finally {
    destroyActions(actions);
  }
}

/** Opens a pipe, neither end of which is inherited; null: too many open files. */
export function openPipe(): { read: number; write: number } | null {
  const fds = Buffer.alloc(8);
  return pipe2(fds, O_CLOEXEC) === 0 ? { read: fds.readInt32LE(0), write: fds.readInt32LE(4) } : null;
}

function optional(declaration: string): Call | null {
  try {
    return call(declaration);
  } catch {
    return null; // The C library does not have it.
  }
}
