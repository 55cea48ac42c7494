import type { ChildProcess } from "node:child_process";
import { messageOf } from "../base/errors.ts";
import { type Program, startFailure, startProgram } from "./program.ts";

/** A program beside a run's own: a probe, or the command of a stop. */
export interface Companion {
  /** null: it ended with code 0; else a sentence why not. Never rejects. */
  ended: Promise<string | null>;
  /** Ends it and what it has started; harmless once it has ended. */
  kill(): void;
}

/** Starts `program` without terminal, in a session of its own. `join` makes what is forked a part of the run's tree. */
export function startCompanion(program: Program, join: (start: () => ChildProcess) => ChildProcess): Companion {
  let child: ChildProcess;
  try {
    child = join(() => startProgram(program, { script: 'exec "$@"', stdio: "ignore" }));
  } catch (error) {
    return { ended: Promise.resolve(messageOf(error)), kill: () => {} };
  }
  let isOver = child.pid === undefined;
  const ended =
    child.pid === undefined
      ? startFailure(child, program).catch((error: unknown) => messageOf(error))
      : new Promise<string | null>((resolve) => {
          child.once("exit", (code, signal) => {
            isOver = true;
            resolve(code === 0 ? null : signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`);
          });
        });
  return {
    ended,
    kill() {
      // Until its exit is told its pid, and with it the number of its group, is nobody else's.
      if (isOver || child.pid === undefined) return;
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // ESRCH: it has not come to lead a group of its own yet, or left it.
        child.kill("SIGKILL");
      }
    },
  };
}
