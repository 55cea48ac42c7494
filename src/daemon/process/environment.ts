import { resolve } from "node:path";
import type { RunSpec } from "../../contract/run.ts";
import type { Account } from "./accounts.ts";
import { readEnvFiles } from "./env-file.ts";

/** What a child inherits without being asked to; a trailing `*` matches the rest. */
const STANDARD_NAMES = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TZ"];
const FALLBACK_PATH = "/usr/local/bin:/usr/bin:/bin";

/** The variable by which every descendant of a run is recognized, whatever session it moved to. */
export const RUN_MARKER = "MGR_RUN";

export interface Circumstances {
  /** Value of RUN_MARKER. */
  marker: string;
  /** Another user than the daemon's own. */
  account: Account | null;
  /** MGR_BUS_URL; null: none. */
  busUrl: string | null;
  /** The features of the host. */
  variables: Readonly<Record<string, string>>;
}

/**
 * The whole environment of a child: variables of features win over `environment`, that over the env files, they over what is inherited.
 * Rejects with `spawn_failed` for an env file that cannot be used.
 */
export async function childEnvironment(
  spec: RunSpec,
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
  // What is inherited speaks of the daemon's own user.
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
