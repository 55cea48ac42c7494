import { closeSync, writeSync } from "node:fs";
import { constants } from "node:os";
import { z } from "zod";
import { MgrError } from "../../base/errors.ts";
import { CAN_CHANGE_DIRECTORY, openPipe, type Spawned, spawnLeader } from "../native/posix-spawn.ts";
import { asAccount } from "../native/process-calls.ts";
import { account } from "./accounts.ts";
import { Child } from "./child.ts";
import { expectedProgram, findProgram } from "./spawn-check.ts";

/** The program to execute, and the user to run it as. */
export const program = z.object({
  argv: z.array(z.string()).readonly(),
  /** Absolute path of the working directory. */
  cwd: z.string(),
  /** The whole environment. */
  environment: z.record(z.string(), z.string()).readonly(),
  /** The user to run as; null: this process's own user. */
  account: account.nullable(),
  /** File mode mask; null: this process's own. */
  umask: z.int().nullable(),
});
export type Program = z.infer<typeof program>;

interface Setting {
  /** Path of standard input, output and error; a terminal becomes the child's controlling one. */
  standard: string;
  /** Whether the program waits until `release` is called. */
  isHeld?: boolean;
}

interface Started {
  child: Child;
  /** Lets a held program start. */
  release: () => void;
}

/** Shell code that waits for a line, so that limits and scheduling hold from the program's first instruction on. */
const WAIT = "read -r _ <&3 || exit 125; exec 3<&-; ";

/**
 * Starts a program as the leader of a new session: directly, or through `/bin/sh` if something has to be done before it
 * starts. The fork has happened when this returns. Throws `spawn_failed` with a sentence.
 */
export function startProgram(program: Program, { standard, isHeld = false }: Setting): Started {
  const gate = isHeld ? openPipe() : null;
  if (isHeld && gate === null) throw startError(program, constants.errno.EMFILE);
  try {
    const child = asAccount(program.account, () => {
      // Both as that user: permissions to enter folders and execute files differ between users.
      if (program.umask === null && gate === null && CAN_CHANGE_DIRECTORY) return startDirectly(program, standard);
      findProgram(program);
      return startChild(program, throughShell(program, standard, gate?.read));
    });
    return { child, release: () => openGate(gate?.write) };
  } catch (error) {
    if (gate) closeSync(gate.write);
    throw error;
  } finally {
    if (gate) closeSync(gate.read);
  }
}

/** The kernel checks folder and file when it executes the program: they are examined only to find out why it could not. */
function startDirectly(program: Program, standard: string): Child {
  const { argv, environment, cwd } = program;
  const path = expectedProgram(program);
  return startChild(program, { path, argv, environment, cwd, standard }, () => findProgram(program));
}

/** `find` is called if the program cannot be executed: it throws the reason, or returns another file to execute. */
function startChild(program: Program, spawned: Spawned, find: () => string = () => spawned.path): Child {
  const { child, error } = Child.start(() => spawnLeader(spawned));
  if (child !== null) return child;
  // A script without an interpreter line is run by the shell, as in execvp(3).
  if (error === constants.errno.ENOEXEC && spawned.path !== "/bin/sh")
    return startChild(program, { ...spawned, path: "/bin/sh", argv: ["sh", spawned.path, ...spawned.argv.slice(1)] });
  const path = find();
  if (path !== spawned.path) return startChild(program, { ...spawned, path });
  throw startError(program, error);
}

function throughShell(program: Program, standard: string, gate: number | undefined): Spawned {
  const umask = program.umask === null ? "" : `umask ${program.umask.toString(8)}; `;
  const directory = CAN_CHANGE_DIRECTORY ? "" : 'cd -- "$0" || exit 125; ';
  const wait = gate === undefined ? "" : WAIT;
  const argv = withOddVariables(program.argv, program.environment);
  return {
    path: "/bin/sh",
    argv: ["sh", "-c", `${directory}${umask}${wait}exec "$@"`, program.cwd, ...argv],
    environment: program.environment,
    cwd: program.cwd,
    standard,
    extra: gate,
  };
}

/** The shell in between drops variables whose names are invalid in a shell (`a.b`); env(1) sets them again. */
function withOddVariables(argv: readonly string[], environment: Readonly<Record<string, string>>): readonly string[] {
  const odd = Object.entries(environment).filter(([name]) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  return odd.length === 0 ? argv : ["/usr/bin/env", ...odd.map(([name, value]) => `${name}=${value}`), ...argv];
}

function openGate(fd: number | undefined): void {
  if (fd === undefined) return;
  try {
    writeSync(fd, "\n");
  } catch (error) {
    // The program was killed in the meantime: its exit is reported.
    if ((error as NodeJS.ErrnoException).code !== "EPIPE") throw error;
  } finally {
    closeSync(fd);
  }
}

function startError({ argv }: Program, number: number): MgrError {
  const { E2BIG, EAGAIN, ENOMEM, EMFILE, ENFILE, ETXTBSY } = constants.errno;
  const reasons = new Map([
    [E2BIG, "its arguments and environment are longer than the kernel allows"],
    [EAGAIN, "the limit on processes is reached"],
    [ENOMEM, "there is not enough memory"],
    [EMFILE, "the limit on open files is reached"],
    [ENFILE, "the machine's limit on open files is reached"],
    [ETXTBSY, "its file is being written"],
  ]);
  const name = Object.entries(constants.errno).find(([, each]) => each === number)?.[0] ?? `error ${number}`;
  return new MgrError("spawn_failed", `'${argv[0]}' could not be started: ${reasons.get(number) ?? `the kernel reports ${name}`}`);
}
