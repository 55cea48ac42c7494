import { spawn } from "node:child_process";
import { closeSync, constants, existsSync } from "node:fs";
import { messageOf } from "../../../base/errors.ts";
import { openStateFile } from "../../../files/state-file.ts";
import type { Launch } from "../contract.ts";
import type { ProgramEnd, StartedManager } from "./manager-keeper.ts";

/**
 * Starts a manager as `mgr up --detach` does: in a session of its own, so that it outlives this daemon, and with its standard error in the file
 * `output`, from the beginning. It belongs to no run, and no stop of a tree concerns it. Never throws.
 */
export function startManagerProgram({ executable, args, cwd, environment }: Launch, output: string): StartedManager {
  try {
    const fd = openStateFile(output, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC);
    try {
      const child = spawn(executable, args, {
        detached: true,
        stdio: ["ignore", "ignore", fd],
        // A missing folder would be reported as a missing executable. The arguments have absolute paths.
        cwd: existsSync(cwd) ? cwd : "/",
        env: environment,
      });
      child.unref();
      const ended = new Promise<ProgramEnd>((resolve) => {
        child.once("error", (error) => resolve({ code: null, signal: null, problem: messageOf(error) }));
        child.once("exit", (code, signal) => resolve({ code, signal }));
      });
      return { pid: child.pid ?? null, ended, stop: () => void child.kill("SIGTERM") };
    } finally {
      closeSync(fd);
    }
  } catch (error) {
    return { pid: null, ended: Promise.resolve({ code: null, signal: null, problem: messageOf(error) }), stop: () => {} };
  }
}
