import { resolve } from "node:path";
import type { RunSpec } from "../../contract/run.ts";
import type { RunSettings } from "../../contract/run-settings.ts";
import type { Account } from "./accounts.ts";
import { readEnvFiles } from "./env-file.ts";

/** Variables that a child always inherits; a trailing `*` matches the rest. */
const STANDARD_NAMES = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TZ"];
const FALLBACK_PATH = "/usr/local/bin:/usr/bin:/bin";

/** The variable that identifies every descendant of a run, whatever session it moved to. */
export const RUN_MARKER = "MGR_RUN";

export interface Circumstances {
  /** Value of RUN_MARKER. */
  marker: string;
  /** The user to run as; null: the daemon's own. */
  account: Account | null;
  /** MGR_BUS_URL; null: none. */
  busUrl: string | null;
  /** Variables from the features of the host. */
  variables: Readonly<Record<string, string>>;
}

/**
 * The whole environment of a child: variables of features override `environment`, which overrides the env files, which override inherited
 * variables. Rejects with `spawn_failed` for an env file that cannot be used.
 */
export async function childEnvironment(
  spec: Pick<RunSpec, "name"> & RunSettings,
  { marker, account, busUrl, variables }: Circumstances,
): Promise<Record<string, string>> {
  const environment: Record<string, string> = Object.create(null);
  const patterns = [...STANDARD_NAMES, ...spec.pass_environment];
  for (const [name, value] of Object.entries(spec.inherited ?? process.env)) {
    if (value !== undefined && patterns.some((pattern) => matches(pattern, name))) environment[name] = value;
  }
  environment.PATH ??= FALLBACK_PATH;
  environment.TERM = "xterm-256color";
  environment.COLORTERM = "truecolor";
  environment.MGR_PROCESS = spec.name;
  if (busUrl !== null) environment.MGR_BUS_URL = busUrl;
  // Inherited variables describe the daemon's own user.
  if (account !== null) {
    Object.assign(environment, { HOME: account.home, USER: account.name, LOGNAME: account.name, SHELL: account.shell });
  }
  const files = await readEnvFiles(spec.env_files.map((file) => resolve(spec.base_dir, file)));
  // The marker comes last: a configured value would hide the tree from the sweep that kills it.
  return Object.assign(environment, files, spec.environment, variables, { [RUN_MARKER]: marker });
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith("*") ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}
