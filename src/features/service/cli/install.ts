import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { userInfo } from "node:os";
import { dirname, resolve } from "node:path";
import { messageOf } from "../../../base/errors.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import type { DaemonFlags } from "../../../cli/commands/setup/daemon.ts";
import { configPath } from "../../../cli/manager/config-path.ts";
import { loadConfig, profileArguments } from "../../../cli/manager/configuration.ts";
import { localSocketOf } from "../../../cli/manager/local-instance.ts";
import { localHostName } from "../../../config/host-names.ts";
import { UserNames } from "../../../daemon/process/user-names.ts";
import { systemctl } from "./systemctl.ts";
import { type UnitFlags, type UnitPlace, unitPlace } from "./unit-place.ts";
import { daemonUnit, managerUnit, WRITTEN_BY } from "./unit-text.ts";

export interface InstallFlags extends UnitFlags, Omit<DaemonFlags, "resume"> {
  daemon?: boolean;
  runAs?: string;
  environment?: string[];
  program?: string;
  start: boolean;
  dryRun?: boolean;
}

/** Folder in which systemd keeps the names of users whose services run without a login. */
const LINGER = "/var/lib/systemd/linger";
const DAEMON_OPTIONS = ["host", "bus", "tokenFile", "caFile", "stateDir", "cwd"] as const;

/** `mgr service install`: writes a unit, enables and starts it. */
export async function install(flags: InstallFlags): Promise<void> {
  const place = unitPlace({ ...flags, name: flags.name ?? (flags.daemon ? "mgr-daemon" : "mgr") });
  const text = flags.daemon ? daemonText(flags) : managerText(flags);
  if (flags.dryRun) {
    process.stdout.write(text);
    return;
  }
  const wasActive = await isActive(place);
  if (!flags.daemon) await checkInstance(flags, wasActive);
  const isChanged = write(place, text);
  await systemctl(place, "daemon-reload");
  await systemctl(place, "enable", place.unit);
  if (flags.start && !wasActive) await start(place);
  report(place, { isRunning: flags.start || wasActive, isRestartNeeded: wasActive && isChanged });
}

function managerText(flags: InstallFlags): string {
  const given = DAEMON_OPTIONS.find((key) => flags[key] !== undefined);
  if (given !== undefined) throw usage(`--${dashed(given)} can be used only with --daemon`);
  const file = resolve(configPath(flags.config));
  return managerUnit({
    ...serviceOf(flags, file),
    description: `mgr, process manager (${file})`,
    folder: dirname(file),
    configuration: ["-c", file, ...(flags.trustConfig ? ["--trust-config"] : []), ...profileArguments(flags.profile)],
  });
}

function daemonText(flags: InstallFlags): string {
  const { bus = [], host = localHostName(), tokenFile, caFile, stateDir, cwd = "." } = flags;
  for (const key of ["config", "profile"] as const)
    if (flags[key] !== undefined) throw usage(`--${key} and --daemon cannot be combined: a daemon on another machine has no configuration`);
  if (bus.length === 0) throw usage("--daemon needs the address of the manager or its NATS server: --bus ws://MANAGER:8130");
  const path = (option: string, value: string | undefined) => (value === undefined ? [] : [option, resolve(value)]);
  return daemonUnit({
    ...serviceOf(flags, tokenFile ?? "."),
    description: `mgr, daemon of the host ${host}`,
    folder: resolve(cwd),
    daemon: [
      ...["--host", host],
      ...bus.flatMap((url) => ["--bus", url]),
      ...path("--token-file", tokenFile),
      ...path("--ca-file", caFile),
      ...path("--state-dir", stateDir),
      ...["--cwd", resolve(cwd)],
    ],
  });
}

/** `owned`: a file of the user who runs the service. */
function serviceOf({ user, runAs, program, environment = [] }: InstallFlags, owned: string) {
  return {
    program: program === undefined ? [process.execPath, resolve(process.argv[1] ?? "")] : [resolve(program)],
    runAs: user ? null : (runAs ?? ownerOf(owned)),
    environment: environment.map(variable),
  };
}

function ownerOf(path: string): string {
  const uid = statSync(path, { throwIfNoEntry: false })?.uid;
  if (uid === undefined) return userInfo().username;
  const users = new UserNames();
  users.refresh();
  return users.of(uid);
}

function variable(text: string): string {
  const [name = "", ...value] = text.split("=");
  if (!/^[A-Za-z_]\w*$/.test(name)) throw usage(`--environment '${text}' is no variable; give NAME=VALUE or NAME`);
  if (value.length > 0) return text;
  const present = process.env[name];
  if (present === undefined) throw usage(`--environment ${name}: this variable is not set here; give NAME=VALUE`);
  return `${name}=${present}`;
}

/** Throws if the configuration has problems, or if a manager runs with it that is not this service: the service could not start. */
async function checkInstance(flags: InstallFlags, wasActive: boolean): Promise<void> {
  const { instance } = await loadConfig(flags.config, flags);
  if (!flags.start || wasActive || (await localSocketOf(instance.state_dir)) === null) return;
  const advice = "stop it with 'mgr down', then install the service, which starts it again; with --no-start the unit is only enabled";
  throw new CommandFailure(EXIT.failed, `'${instance.name}' is already running: ${advice}`);
}

/** Writes the unit, unless it is the same. Returns whether it was another one. */
function write({ file, isUser }: UnitPlace, text: string): boolean {
  try {
    const before = existsSync(file) ? readFileSync(file, "utf8") : null;
    if (before !== null && !before.startsWith(WRITTEN_BY))
      throw new CommandFailure(EXIT.failed, `${file} was not written by this command; remove it, or choose another unit with --name`);
    if (before === text) return false;
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text);
    return before !== null;
  } catch (error) {
    if (error instanceof CommandFailure) throw error;
    const hint = isUser ? "" : "; run the command with sudo, or with --user for a unit of your own";
    throw new CommandFailure(EXIT.failed, `cannot write ${file}: ${messageOf(error)}${hint}`);
  }
}

async function isActive(place: UnitPlace): Promise<boolean> {
  return /^active/m.test(await systemctl(place, "show", "--property=ActiveState", "--value", place.unit));
}

async function start(place: UnitPlace): Promise<void> {
  await systemctl(place, "start", place.unit).catch((error: unknown) => {
    throw error instanceof CommandFailure
      ? new CommandFailure(error.exitCode, `${error.message}\nThe reason is in its log: ${journal(place)}`)
      : error;
  });
}

function report(place: UnitPlace, { isRunning, isRestartNeeded }: { isRunning: boolean; isRestartNeeded: boolean }): void {
  console.log(`${visible(place.file)} is installed and enabled${isRunning ? "; the service is active" : ""}`);
  if (isRestartNeeded)
    console.log(`It has changed: the running service uses it from its next start on (${place.systemctl} restart ${place.unit}).`);
  console.log(`Its log: ${journal(place)}`);
  const { username } = userInfo();
  if (place.isUser && !existsSync(`${LINGER}/${username}`))
    console.log(`It runs while ${visible(username)} is logged in. To start it at boot: loginctl enable-linger ${visible(username)}`);
}

const journal = ({ unit, isUser }: UnitPlace): string => `journalctl ${isUser ? "--user " : ""}-u ${unit}`;
const dashed = (key: string): string => key.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);

function usage(sentence: string): CommandFailure {
  return new CommandFailure(EXIT.usage, sentence);
}
