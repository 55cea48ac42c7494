import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { ManagerCore } from "../../../app/feature.ts";
import type { ManagerLaunch } from "../../../app/manager-options.ts";
import { messageOf } from "../../../base/errors.ts";
import { replaceProgram } from "../../../daemon/native/exec.ts";
import { VERSION } from "../../../http/package-files.ts";
import { IN_FOREGROUND } from "./program-versions.ts";

/** Time limit for the installed program to say its version, milliseconds. */
const CHECK_MS = 30_000;

export interface ManagerUpgraded {
  readonly from: string;
  /** Null: not known. */
  readonly to: string | null;
  /** Why the program is not replaced; null: it is, right after this answer. */
  readonly problem: string | null;
}

/** Begins the replacement of the manager's program. */
export type ManagerUpgrade = () => Promise<ManagerUpgraded>;

/**
 * The manager holds no process: its next program starts as after a crash, and adopts what runs on the hosts. It has the same pid, so that the daemon
 * does not start another manager.
 */
export function managerUpgrade({ launch, log }: Pick<ManagerCore, "launch" | "log">): ManagerUpgrade {
  return async () => {
    const refused = (problem: string) => ({ from: VERSION, to: null, problem });
    if (launch === null) return refused(IN_FOREGROUND);
    let to: string;
    try {
      to = await installedVersion(launch);
    } catch (error) {
      return refused(`the installed program cannot be started: ${messageOf(error)}`);
    }
    log.info(`this manager replaces its program (version ${VERSION}) by version ${to}`);
    // The answer is sent first.
    setImmediate(() => {
      try {
        start(launch);
      } catch (error) {
        log.error(`the program of this manager was not replaced: ${messageOf(error)}`);
      }
    });
    return { from: VERSION, to, problem: null };
  };
}

function start({ executable, args, cwd, environment }: ManagerLaunch): never {
  process.chdir(cwd);
  replaceProgram({ path: executable, argv: [executable, ...args], environment, descriptors: [] });
}

/** Asks the installed program for its version: one that cannot even say that must not replace this one. */
async function installedVersion({ executable, args, environment }: ManagerLaunch): Promise<string> {
  const program = args.slice(0, args.indexOf("up"));
  const { stdout } = await promisify(execFile)(executable, [...program, "--version"], { env: environment, cwd: "/", timeout: CHECK_MS });
  return stdout.trim().slice(0, 64);
}
