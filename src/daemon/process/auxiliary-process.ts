import { messageOf } from "../../base/errors.ts";
import { Child } from "./child.ts";
import { type Program, startProgram } from "./program.ts";

/** A program that runs beside a run's main program: a probe, or the command of a stop. */
export interface AuxiliaryProcess {
  /** Null: it could not be started. */
  pid: number | null;
  /** Resolves with null if it ended with code 0, else with a sentence why not. Never rejects. */
  ended: Promise<string | null>;
  /** Kills it and its process group; harmless once it has ended. */
  kill(): void;
}

/** Starts `program` without terminal, in its own session. `join` makes the forked process a part of the run's tree. */
export function startAuxiliaryProcess(program: Program, join: (start: () => Child) => Child): AuxiliaryProcess {
  let child: Child;
  try {
    child = join(() => startProgram(program, { standard: "/dev/null" }).child);
  } catch (error) {
    return { pid: null, ended: Promise.resolve(messageOf(error)), kill: () => {} };
  }
  return auxiliaryProcess(child);
}

/** A program that this process had started beside a run before its own program was replaced. */
export function adoptAuxiliaryProcess(pid: number, join: (start: () => Child) => Child): AuxiliaryProcess {
  return auxiliaryProcess(join(() => Child.adopt(pid)));
}

function auxiliaryProcess(child: Child): AuxiliaryProcess {
  let isOver = false;
  const ended = new Promise<string | null>((resolve) => {
    child.once("exit", (code, signal) => {
      isOver = true;
      resolve(code === 0 ? null : signal === null ? `it ended with code ${code}` : `it was ended by ${signal}`);
    });
  });
  return {
    pid: child.pid,
    ended,
    kill() {
      // Until its exit is reported, no other process can have its pid, and with it its group id.
      if (isOver) return;
      try {
        process.kill(-child.pid, "SIGKILL");
      } catch {
        // ESRCH: it has left its group.
        child.kill("SIGKILL");
      }
    },
  };
}
