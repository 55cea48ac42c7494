import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { busUrlProblem } from "../../../bus/carriers/bus-url.ts";
import { stateHome } from "../../../config/default-paths.ts";
import { localHostName } from "../../../config/host-names.ts";
import { instanceUuid } from "../../../daemon/session/instance.ts";
import { socketDir } from "../../../daemon/session/sockets.ts";
import type { StartOptions } from "../../../daemon/start-options.ts";
import { makeStateFolder } from "../../../files/state-folder.ts";
import { readRegularFile } from "../../../http/auth/read-regular-file.ts";
import { packageFile, VERSION } from "../../../http/package-files.ts";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";
import { loadConfig } from "../../manager/configuration.ts";

export interface DaemonFlags {
  config?: string;
  trustConfig?: boolean;
  profile?: string[];
  host?: string;
  bus?: string[];
  tokenFile?: string;
  caFile?: string;
  stateDir?: string;
  cwd?: string;
  resume?: boolean;
}

const BUNDLE = packageFile("dist/daemon.cjs");
const MAX_TOKEN_BYTES = 4_096;

/**
 * `mgr daemon`: runs a host's daemon in the foreground. With `--bus` it is that of another machine than the manager's; else it belongs to a
 * configuration, whose manager finds it by its lock. This very process becomes the daemon: signals reach it once.
 */
export async function daemon(flags: DaemonFlags): Promise<void> {
  const place = flags.bus === undefined ? await localOptions(flags) : remoteOptions(flags, flags.bus);
  const options = flags.resume === undefined ? place : { ...place, resume: flags.resume };
  process.argv[2] = JSON.stringify(options);
  // Not `import()`: it is not available in a script from V8's code cache (docs/decisions/0042).
  createRequire(import.meta.url)(BUNDLE);
}

async function localOptions(flags: DaemonFlags): Promise<Partial<StartOptions>> {
  for (const key of ["host", "tokenFile", "caFile", "stateDir", "cwd"] as const) {
    if (flags[key] !== undefined)
      throw usage(`--${key.replace(/[A-Z]/, (letter) => `-${letter.toLowerCase()}`)} can be used only with --bus`);
  }
  const { instance } = await loadConfig(flags.config, flags);
  const { state_dir } = instance;
  const { path } = socketDir({ uuid: instanceUuid(state_dir), stateDir: state_dir });
  return { state_dir, host: localHostName(), bus: { socket: join(path, "bus.sock") }, version: VERSION };
}

function remoteOptions(flags: DaemonFlags, bus: string[]): Partial<StartOptions> {
  if (flags.config !== undefined) throw usage("--config and --bus cannot be combined: a daemon on another machine has no configuration");
  const host = flags.host ?? localHostName();
  const urls = bus.flatMap((list) => list.split(",")).map(busAddress);
  const state_dir = flags.stateDir === undefined ? join(stateHome(), `daemon-${encodeURIComponent(host)}`) : resolve(flags.stateDir);
  makeStateFolder(state_dir);
  return {
    state_dir,
    host,
    bus: {
      urls,
      token_file: flags.tokenFile === undefined ? null : checkedToken(resolve(flags.tokenFile)),
      ca_file: flags.caFile === undefined ? null : resolve(flags.caFile),
    },
    work_dir: resolve(flags.cwd ?? "."),
    version: VERSION,
    is_talkative: true,
  };
}

/** Parses a bus address; http is accepted, because users copy the address from the browser. */
function busAddress(text: string): string {
  const url = text.trim().replace(/^http(s?):/, "ws$1:");
  const problem = busUrlProblem(url);
  if (problem !== null)
    throw usage(`--bus '${text}' ${problem.replace("nats://10.0.0.1:4222", "ws://MANAGER:8130 or nats://10.0.0.1:4222")}`);
  return url;
}

function checkedToken(path: string): string {
  const file = readRegularFile(path, MAX_TOKEN_BYTES, ({ mode }) =>
    (mode & 0o004n) === 0n ? null : "other users can read it; run chmod 600 on it",
  );
  if (!file.ok) throw usage(`cannot read the token file ${path}: ${file.reason}`);
  if (file.content.toString().trim() === "")
    throw usage(`the token file ${path} is empty; copy the file hosts.NAME.token_file from the manager's machine`);
  return path;
}

function usage(sentence: string): CommandFailure {
  return new CommandFailure(EXIT.usage, sentence);
}
