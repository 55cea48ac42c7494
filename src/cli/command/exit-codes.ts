import { type AnyErrorCode, MgrError, messageOf } from "../../base/errors.ts";

/** Exit codes of every command (README, "Command line"). */
export const EXIT = { done: 0, failed: 1, usage: 2, notFound: 3, timeout: 4 } as const;

/** Ends a command with an exit code and a sentence on stderr. */
export class CommandFailure extends Error {
  readonly exitCode: number;

  constructor(exitCode: number, message: string) {
    super(message);
    this.exitCode = exitCode;
  }
}

const USAGE: ReadonlySet<AnyErrorCode> = new Set<AnyErrorCode>(["bad_field", "bad_frame", "bad_json", "too_large", "unknown_action"]);

export function exitCodeOf(error: unknown): number {
  if (error instanceof CommandFailure) return error.exitCode;
  if (!(error instanceof MgrError)) return EXIT.failed;
  if (error.code === "not_found") return EXIT.notFound;
  if (error.code === "timeout") return EXIT.timeout;
  return USAGE.has(error.code) ? EXIT.usage : EXIT.failed;
}

/** Text for stderr about `error`: one sentence, or the whole stack for a defect of this program. */
export function explain(error: unknown): string {
  if (error instanceof CommandFailure || error instanceof MgrError) return error.message;
  const problem = systemProblem(error);
  if (problem !== null) return problem;
  return error instanceof Error && error.stack ? error.stack : messageOf(error);
}

/** Sentence about a file or folder that the system does not allow to use; null: another error. */
function systemProblem(error: unknown): string | null {
  if (!(error instanceof Error && "code" in error && "syscall" in error)) return null;
  // libuv has no path in this one.
  if (error.syscall === "uv_cwd")
    return `the current folder cannot be used (${String(error.code)}): it was removed, or you may not enter it; change to another one with cd`;
  if (!("path" in error) || typeof error.path !== "string") return null;
  // Such as `EACCES: permission denied, mkdir '/x'`.
  const reason = /^[A-Z0-9]+: (.*), \w+ '/.exec(error.message)?.[1] ?? error.message;
  if (error.syscall !== "mkdir") return `${error.path} cannot be used (${String(error.syscall)}): ${reason}`;
  const hint = "make its parent folder writable, or choose another one with instance.state_dir, --state-dir or XDG_STATE_HOME";
  return `the folder ${error.path} cannot be created: ${reason}; ${hint}`;
}
