import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { ManagerCore } from "../../../app/feature.ts";
import type { ManagerLaunch } from "../../../app/manager-options.ts";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { replaceProgram } from "../../../daemon/native/exec.ts";
import { VERSION } from "../../../http/package-files.ts";

/** Time limit for the installed program to say its version, milliseconds. */
const CHECK_MS = 30_000;

/** Begins the replacement of the manager's program. Resolves with the versions; the program is replaced right after this answer. */
export type ManagerUpgrade = () => Promise<{ from: string; to: string }>;

/**
 * The manager holds no process: its next program starts as after a crash, and adopts what runs on the hosts. It has the same pid, so that the daemon
 * does not start another manager.
 */
export function managerUpgrade({ launch, log }: Pick<ManagerCore, "launch" | "log">): ManagerUpgrade {
  return async () => {
    if (launch === null)
      throw new MgrError("forbidden", "a manager in the foreground cannot replace its program: end it with --keep, and start it again");
    const to = await installedVersion(launch);
    log.info(`this manager replaces its program (version ${VERSION}) by version ${to}`);
    // The answer is sent first.
    setImmediate(() => {
      try {
        start(launch);
      } catch (error) {
        log.error(`the program of this manager was not replaced: ${messageOf(error)}`);
      }
    });
    return { from: VERSION, to };
  };
}

function start({ executable, args, cwd, environment }: ManagerLaunch): never {
  process.chdir(cwd);
  replaceProgram({ path: executable, argv: [executable, ...args], environment, descriptors: [] });
}

/** Asks the installed program for its version: one that cannot even say that must not replace this one. */
async function installedVersion({ executable, args, environment }: ManagerLaunch): Promise<string> {
  const program = args.slice(0, args.indexOf("up"));
  try {
    const { stdout } = await promisify(execFile)(executable, [...program, "--version"], { env: environment, cwd: "/", timeout: CHECK_MS });
    return stdout.trim().slice(0, 64);
  } catch (cause) {
    throw new MgrError("conflict", `the installed program cannot be started, and nothing was replaced: ${messageOf(cause)}`, { cause });
  }
}
