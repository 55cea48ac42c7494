import { type ChildProcess, type StdioOptions, spawn } from "node:child_process";
import { MgrError, messageOf } from "../base/errors.ts";
import type { Account } from "./accounts.ts";
import { asAccount } from "./native-process.ts";
import { checkProgram } from "./spawn-check.ts";

/** What is executed, and as whom. */
export interface Program {
  argv: readonly string[];
  /** Absolute. */
  cwd: string;
  /** The whole environment. */
  environment: Readonly<Record<string, string>>;
  /** null: this process's own user. */
  account: Account | null;
  /** null: this process's own. */
  umask: number | null;
}

interface Shell {
  /** What the shell in between does before it becomes the program, which is `"$@"`. */
  script: string;
  stdio: StdioOptions;
}

/**
 * Starts a program through `/bin/sh` as the leader of a session of its own; the fork has happened when it returns.
 * Throws `spawn_failed` with a sentence; `startFailure` has it for a child without pid.
 */
export function startProgram(program: Program, { script, stdio }: Shell): ChildProcess {
  const umask = program.umask === null ? "" : `umask ${program.umask.toString(8)}; `;
  const argv = withOddVariables(program.argv, program.environment);
  try {
    return asAccount(program.account, () => {
      // With that user's eyes: what may be entered and executed is another question for each.
      checkProgram(program);
      return spawn("/bin/sh", ["-c", umask + script, "sh", ...argv], {
        cwd: program.cwd,
        env: program.environment,
        detached: true,
        stdio,
      });
    });
  } catch (cause) {
    throw cause instanceof MgrError ? cause : startError(cause, program);
  }
}

/** Why a child has no pid. */
export async function startFailure(child: ChildProcess, program: Program): Promise<never> {
  const cause = await new Promise<Error>((resolve) => child.once("error", resolve));
  throw startError(cause, program);
}

/** The shell in between drops variables whose names it could not write (`a.b`); env(1) gives them back. */
function withOddVariables(argv: readonly string[], environment: Readonly<Record<string, string>>): readonly string[] {
  const odd = Object.entries(environment).filter(([name]) => !/^[A-Za-z_][A-Za-z0-9_]*$/.test(name));
  return odd.length === 0 ? argv : ["/usr/bin/env", ...odd.map(([name, value]) => `${name}=${value}`), ...argv];
}

function startError(cause: unknown, program: Program): MgrError {
  const code = (cause as NodeJS.ErrnoException).code;
  const reason =
    code === "E2BIG"
      ? "its arguments and environment are longer than the kernel allows"
      : code === "EAGAIN"
        ? "the limit on processes is reached"
        : messageOf(cause);
  return new MgrError("spawn_failed", `'${program.argv[0]}' could not be started: ${reason}`, { cause });
}
