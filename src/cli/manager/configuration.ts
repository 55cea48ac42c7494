import { existsSync } from "node:fs";
import { join } from "node:path";
import { type RunningInstance, runningInstance, unchangedInstance } from "../../app/local-daemon/running-instance.ts";
import { MgrError } from "../../base/errors.ts";
import { quoteWords } from "../../base/text/shell-words.ts";
import { visible } from "../../base/text/visible-text.ts";
import type { Config } from "../../config/definition.ts";
import { ConfigError } from "../../config/schema/problems.ts";
import { CommandFailure, EXIT } from "../command/exit-codes.ts";
import { printJson } from "../output/table.ts";
import { CONFIG_FILE, configPath, foldersUpwards } from "./config-path.ts";

interface LoadFlags {
  /** Use files that other users can change. */
  trustConfig?: boolean;
  /** Profiles whose files are put over the configuration. */
  profile?: string[];
  /** Print problems as JSON. */
  json?: boolean;
  /** The end of the error if there is no file: another way to create one; "" if there is none. */
  otherWay?: () => Promise<string>;
}

/** Loads the configuration of a command line; if it is invalid, the command ends with exit code 2 and prints every problem. */
export async function loadConfig(named: string | undefined, flags: LoadFlags = {}): Promise<Config> {
  try {
    return await load(configPath(named), flags);
  } catch (error) {
    if (flags.json && error instanceof ConfigError) printJson({ ok: false, problems: error.problems, processes: [] });
    throw await unusable(named, error, flags.otherWay);
  }
}

/**
 * The instance of a configuration. If the file is missing or invalid, that of the manager that was started with it: a user who broke the
 * file must still be able to stop its processes.
 */
export async function loadInstance(named: string | undefined, flags: LoadFlags = {}): Promise<RunningInstance> {
  const file = configPath(named);
  // The note is about the newest manager, whatever its profiles.
  const unchanged = flags.profile === undefined ? unchangedInstance(file) : null;
  if (unchanged !== null) return unchanged;
  try {
    return (await load(file, flags)).instance;
  } catch (error) {
    const running = error instanceof ConfigError ? runningInstance(file) : null;
    if (running === null) throw await unusable(named, error);
    const check = quoteWords(["mgr", "check", ...profileArguments(flags.profile)]);
    process.stderr.write(
      `mgr: ${visible(file)} cannot be used (see: ${visible(check)}); connecting to '${visible(running.name)}', which was started with it\n`,
    );
    return running;
  }
}

/** The `mgr up` command line for the same configuration. */
export function upCommand({ config, profile = [] }: { config?: string; profile?: string[] }): string {
  return quoteWords(["mgr", "up", ...(config === undefined ? [] : ["-c", config]), ...profileArguments(profile)]);
}

/** Options that give the same profiles to another command. */
export function profileArguments(profiles: readonly string[] = []): string[] {
  return profiles.flatMap((profile) => ["--profile", profile]);
}

/** Loads the schema only when needed: it is a large part of the start of a command, and most commands need only the running instance. */
async function load(file: string, { trustConfig = false, profile = [] }: LoadFlags): Promise<Config> {
  const { loadConfigFile } = await import("../../config/load/load.ts");
  return loadConfigFile(file, { trustConfig, profiles: profile });
}

async function unusable(named: string | undefined, error: unknown, otherWay = async () => ""): Promise<unknown> {
  if (error instanceof ConfigError) {
    const { formatConfigError } = await import("../../config/load/check-report.ts");
    return new CommandFailure(EXIT.usage, (await missingFile(named, otherWay)) ?? formatConfigError(error));
  }
  return error instanceof MgrError ? new CommandFailure(EXIT.usage, error.message) : error;
}

async function missingFile(named: string | undefined, otherWay: () => Promise<string>): Promise<string | null> {
  if (existsSync(configPath(named))) return null;
  if (named !== undefined) return `${named} does not exist. Create it with: ${quoteWords(["mgr", "init", "-c", named])}`;
  const foreign = foldersUpwards()
    .map((folder) => join(folder, CONFIG_FILE))
    .find((file) => existsSync(file));
  if (foreign !== undefined) return `${foreign} belongs to another user. To use it anyway, name it with -c and add --trust-config`;
  return `there is no ${CONFIG_FILE} in ${process.cwd()} or a folder above it. Create one with: mgr init${await otherWay()}`;
}
