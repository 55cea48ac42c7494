import { type RunningInstance, runningInstance } from "../../app/local-daemon/running-instance.ts";
import { MgrError } from "../../base/errors.ts";
import { visible } from "../../base/visible-text.ts";
import type { Config } from "../../config/definition.ts";
import { formatConfigError } from "../../config/load/check-report.ts";
import { ConfigError, loadConfigFile } from "../../config/load/load.ts";
import { CommandFailure, EXIT } from "../exit-codes.ts";
import { printJson } from "../output/json-output.ts";

/**
 * The manager that runs with a configuration which is currently invalid: a user who broke the file must still be able to stop what runs.
 * Prints a note on stderr. null: there is none.
 */
export function instanceInstead(path: string, error: unknown): RunningInstance | null {
  const running = error instanceof ConfigError ? runningInstance(path) : null;
  if (running !== null)
    process.stderr.write(
      `${visible(path)} cannot be used as it is now (see: mgr check); '${visible(running.name)}', which was started with it, is asked.\n`,
    );
  return running;
}

/** Loads the configuration of a command line; if it is invalid, the command ends with exit code 2 and prints every problem. */
export async function loadConfig(path: string | undefined, json = false): Promise<Config> {
  try {
    return await loadConfigFile(path ?? "mgr.yaml");
  } catch (error) {
    if (error instanceof ConfigError) {
      if (json) printJson({ ok: false, problems: error.problems, processes: [] });
      throw new CommandFailure(EXIT.usage, formatConfigError(error));
    }
    if (error instanceof MgrError) throw new CommandFailure(EXIT.usage, error.message);
    throw error;
  }
}
