import { spawn } from "node:child_process";
import { channel } from "node:diagnostics_channel";
import { closeSync, constants, writeFileSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { NODE_OPTIONS, prepareDaemon } from "../../../app/local-daemon/prepared-daemon.ts";
import type { RunningManager } from "../../../app/manager.ts";
import type { ManagerLaunch, ManagerOptions } from "../../../app/manager-options.ts";
import { diskFull, isDiskFull, messageOf } from "../../../base/errors.ts";
import { STARTED } from "../../../base/started.ts";
import { didYouMeanName } from "../../../base/suggest.ts";
import { visible } from "../../../base/visible-text.ts";
import { withTimeout } from "../../../base/wait.ts";
import type { Config } from "../../../config/definition.ts";
import { localHostName } from "../../../config/host-names.ts";
import { CLI_FEATURES } from "../../../features/cli.ts";
import { openStateFile } from "../../../files/state-file.ts";
import { makeStateFolder } from "../../../files/state-folder.ts";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";
import { END_SIGNALS } from "../../command/interrupt.ts";
import { loadConfig, profileArguments } from "../../manager/configuration.ts";
import { withManager } from "../../manager/connection.ts";
import type { ConnectionFlags } from "../../manager/connection-target.ts";
import { paint } from "../../output/table.ts";
import { EndSignals } from "./end-signals.ts";
import { Ending } from "./ending.ts";
import { ForegroundOutput } from "./foreground-output.ts";
import { importHint } from "./import-hint.ts";
import { logLine, Printer } from "./printer.ts";
import { isAlreadyUp } from "./running-manager.ts";
import { reportRemaining } from "./stop-progress.ts";

export interface UpFlags {
  config?: string;
  trustConfig?: boolean;
  profile?: string[];
  detach?: boolean;
  all?: boolean;
  keep?: boolean;
  abortOnFailure?: boolean;
  exitWith?: string;
  /** Whether output is printed; false with `--no-output`. */
  output: boolean;
}

/** Set for the manager that `mgr up --detach` starts in the background. */
const DETACHED = "MGR_DETACHED";
/** Time limit for a detached manager to become ready, milliseconds: it may have to wait 10 s for a daemon's hello. */
const DETACH_TIMEOUT_MS = 30_000;

/** `mgr up [NAME…]`: runs the manager, in the foreground until a signal or detached. */
export async function up(names: string[], flags: UpFlags): Promise<void> {
  const config = await loadConfig(flags.config, { ...flags, otherWay: importHint });
  const { exitWith = null, abortOnFailure = false } = flags;
  if (exitWith !== null && !config.processes.has(exitWith))
    throw new CommandFailure(
      EXIT.notFound,
      `--exit-with: ${config.file} has no process '${exitWith}'${didYouMeanName(exitWith, config.processes.keys())}`,
    );
  const detached = process.env[DETACHED] === "1";
  if (!detached && (await isAlreadyUp(config, flags))) return joinRunning(config, names, flags);
  if (flags.detach) return detach(config, names, flags);
  delete process.env[DETACHED];
  // The daemon loads while the manager does.
  const daemon = prepareDaemon({ stateDir: config.instance.state_dir, host: localHostName() });
  const { startManager } = await import("../../../app/manager.ts");
  const ending = new Ending({ abortOnFailure, exitWith });
  const signals = new EndSignals(detached);
  const printer = new Printer();
  const output = detached || !flags.output ? undefined : new ForegroundOutput(printer, config.processes.keys());
  const options: ManagerOptions = {
    signal: signals.first,
    onLog: detached ? undefined : (entry) => printer.print(logLine(entry)),
    // The user of a detached manager watches states and the log: its exit code is not used.
    onProcessAtRest: detached ? undefined : (process, configured) => ending.note(process, configured),
    output,
    daemon,
    trustConfig: flags.trustConfig ?? false,
    start: flags.all ? "all" : exitWith === null ? names : [...names, exitWith],
    launch: detached ? launchOf(config, flags) : null,
  };
  const manager = await startManager(config, options).catch(async (error: unknown) => {
    await printer.drained();
    throw error;
  });
  channel(STARTED).publish(undefined);
  if (!detached)
    printer.print(
      `${paint("bold", config.instance.name)} is up at ${paint("bold", manager.url)}${withProfiles(config)}  (Ctrl-C stops everything)\n`,
    );
  const { url, hostProblem, loginProblem } = manager;
  if (detached) process.send?.({ url, hostProblem, loginProblem } satisfies Served);
  if (process.connected) process.disconnect();
  await untilEnded(manager, { keep: flags.keep ?? false, detached, ending, signals });
  output?.end();
  await printer.drained();
  process.exit(ending.exitCode);
}

/** Joins a running manager: starts NAMES, then follows the output as the manager in the foreground would. */
async function joinRunning(config: Config, names: string[], flags: UpFlags): Promise<void> {
  const { exitWith, abortOnFailure = false, all = false, detach = false, output, keep = false } = flags;
  const { name } = config.instance;
  const owned = exitWith !== undefined ? "--exit-with" : abortOnFailure ? "--abort-on-failure" : keep ? "--keep" : null;
  if (owned !== null)
    throw new CommandFailure(EXIT.failed, `'${name}' is already running, so ${owned} has no effect; stop it with 'mgr down' first`);
  const connection = connectionOf(config, flags);
  const chosen = all ? [...config.processes.keys()] : names;
  const isFollowing = !detach && output;
  console.log(`${visible(name)} is already running${isFollowing ? "; its output follows, Ctrl-C leaves it running" : ""}`);
  for (const note of await runningNotes(connection)) console.error(`mgr: ${visible(note)}`);
  if (chosen.length > 0) {
    const { control } = await import("../processes/control.ts");
    await control("start", chosen, { ...connection, timeout: 0, wait: false });
  }
  if (!isFollowing) return;
  const { logs } = await import("../messages/logs.ts");
  await logs([], { ...connection, follow: true, lines: 1 });
}

/** The flags of commands that connect to the manager of this configuration. */
function connectionOf({ file }: Config, { profile, trustConfig = false }: UpFlags): ConnectionFlags {
  return { config: file ?? "", trustConfig, ...(profile === undefined ? {} : { profile }) };
}

/** Returns the features' remarks about the running manager, such as that its version is another one. */
async function runningNotes(connection: ConnectionFlags): Promise<string[]> {
  const sources = CLI_FEATURES.flatMap(({ runningNotes }) => runningNotes ?? []);
  return withManager(connection, async (client) => (await Promise.all(sources.map((notes) => notes(client)))).flat());
}

/**
 * Waits for the end. A first signal stops everything in reverse order, a second one at once. The end of the `--exit-with` process, or of
 * one whose failure is fatal, also stops everything; its exit code is then that of the command. `--keep` leaves everything running.
 */
async function untilEnded(
  manager: RunningManager,
  { keep, detached, ending, signals }: { keep: boolean; detached: boolean; ending: Ending; signals: EndSignals },
): Promise<void> {
  const report = (sentence: string) => {
    // A new line, because the terminal has echoed ^C.
    if (!detached) process.stderr.write(`${process.stderr.isTTY ? "\n" : ""}${visible(sentence)}\n`);
  };
  let endReports = () => {};
  await new Promise<void>((resolve, reject) => {
    let isEnding = false;
    const end = (why: string) => {
      isEnding = true;
      ending.close();
      report(`${why}: ${keep ? "leaving the processes running" : "stopping everything; press Ctrl-C again to kill what is left"}`);
      if (!keep) endReports = reportRemaining(manager, report);
      manager.shutdown({ keep, by: why }).then(resolve, reject);
    };
    const endNow = () => {
      report("killing everything");
      void manager.shutdownNow().then(resolve, reject);
    };
    ending.onEnd(() => {
      if (!isEnding) end(ending.sentence);
    });
    signals.onFirst((signal) => (isEnding ? endNow() : end(signal)));
    signals.onSecond(endNow);
    signals.onReload(() => manager.reload("SIGHUP"));
  }).finally(() => endReports());
}

/** Report of a detached manager once its port is open. */
type Served = Pick<RunningManager, "url" | "hostProblem" | "loginProblem">;

async function detach(config: Config, names: string[], flags: UpFlags): Promise<void> {
  const errors = join(config.instance.state_dir, "manager.stderr");
  const stderr = openErrors(config.instance.state_dir, errors);
  const command = [...upCommand(config, flags), ...(flags.all ? ["--all"] : []), ...names];
  const child = spawn(process.execPath, [...NODE_OPTIONS, ...command], {
    detached: true,
    stdio: ["ignore", "ignore", stderr, "ipc"],
    env: { ...process.env, [DETACHED]: "1" },
  });
  closeSync(stderr);
  // The child has its own session: without this it would continue to start after Ctrl-C here.
  for (const signal of END_SIGNALS) process.on(signal, () => child.kill("SIGTERM"));
  const reported = new Promise<Served | null>((resolve) => {
    child.once("message", (message: Served) => resolve(message));
    child.once("exit", () => resolve(null));
  });
  const late = () => {
    const waited = DETACH_TIMEOUT_MS / 1_000;
    return new CommandFailure(
      EXIT.timeout,
      `the manager (pid ${child.pid}) is not ready after ${waited} s and keeps trying; see manager.log, or stop it with 'mgr down'`,
    );
  };
  const served = await withTimeout(reported, DETACH_TIMEOUT_MS, late).catch((error: unknown) => {
    child.disconnect();
    child.unref();
    throw error;
  });
  if (served === null) {
    // Errors of the manager begin with the command name, as those of this program do.
    const why = (await readFile(errors, "utf8")).trim().replace(/^mgr: /, "");
    throw new CommandFailure(child.exitCode ?? EXIT.failed, why === "" ? withoutWords(errors) : why);
  }
  if (child.connected) child.disconnect();
  child.unref();
  console.log(
    `${visible(config.instance.name)} is up at ${visible(served.url)}${withProfiles(config)} (pid ${child.pid}); 'mgr down' ends it`,
  );
  if (served.hostProblem !== null) console.error(`mgr: ${visible(served.hostProblem)}`);
  if (served.loginProblem !== null) console.error(`mgr: all web logins are refused: ${visible(served.loginProblem)}`);
}

/** The profiles in the line that says that the manager is up. */
function withProfiles({ profiles }: Config): string {
  return profiles.length === 0 ? "" : ` with the ${profiles.length === 1 ? "profile" : "profiles"} ${profiles.join(", ")}`;
}

/** Arguments of Node for `mgr up` with this configuration. */
function upCommand(config: Config, flags: UpFlags): string[] {
  return [
    process.argv[1] ?? "",
    "up",
    "-c",
    config.file ?? "",
    ...(flags.trustConfig ? ["--trust-config"] : []),
    ...profileArguments(config.profiles),
  ];
}

/** The command that starts this manager again. NAMES and --all are left out: what they started is requested already, and a user may have stopped it since. */
function launchOf(config: Config, flags: UpFlags): ManagerLaunch {
  return {
    executable: process.execPath,
    args: [...process.execArgv, ...upCommand(config, flags)],
    cwd: process.cwd(),
    environment: { ...definedOf(process.env), [DETACHED]: "1" },
  };
}

function definedOf(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}

function openErrors(stateDir: string, path: string): number {
  try {
    makeStateFolder(stateDir);
    return openEmpty(path);
  } catch (error) {
    throw isDiskFull(error) ? new CommandFailure(EXIT.failed, messageOf(diskFull(stateDir, error))) : error;
  }
}

function openEmpty(path: string): number {
  return openStateFile(path, constants.O_WRONLY | constants.O_CREAT | constants.O_TRUNC);
}

/** Explanation if the manager wrote no error: on a full disk it cannot. */
function withoutWords(errors: string): string {
  try {
    const fd = openEmpty(errors);
    try {
      writeFileSync(fd, `${" ".repeat(8_191)}\n`);
    } finally {
      closeSync(fd);
    }
    return "the manager did not start; see manager.log";
  } catch (error) {
    if (isDiskFull(error)) return diskFull(dirname(errors), error).message;
    return `the manager did not start, and could not report the reason: cannot write ${errors}: ${messageOf(error)}`;
  }
}
