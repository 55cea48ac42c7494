import { channel } from "node:diagnostics_channel";
import { prepareDaemon } from "../../../app/local-daemon/prepared-daemon.ts";
import type { RunningManager } from "../../../app/manager.ts";
import type { ManagerLaunch, ManagerOptions } from "../../../app/manager-options.ts";
import { STARTED } from "../../../base/started.ts";
import { didYouMeanName } from "../../../base/text/suggest.ts";
import { visible } from "../../../base/text/visible-text.ts";
import type { Config } from "../../../config/definition.ts";
import { localHostName } from "../../../config/host-names.ts";
import { CLI_FEATURES } from "../../../features/cli.ts";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";
import { loadConfig } from "../../manager/configuration.ts";
import { withManager } from "../../manager/connection.ts";
import type { ConnectionFlags } from "../../manager/connection-target.ts";
import { paint } from "../../output/table.ts";
import { detach } from "./detach.ts";
import { DETACHED, endReports, moveErrors, upCommand, withProfiles } from "./detached-manager.ts";
import { EndSignals } from "./end-signals.ts";
import { Ending } from "./ending.ts";
import { ForegroundOutput } from "./foreground-output.ts";
import { importHint } from "./import-hint.ts";
import { logLine, Printer } from "./printer.ts";
import { isAlreadyUp } from "./running-manager.ts";
import { reportRemaining } from "./stop-progress.ts";
import type { UpFlags } from "./up-flags.ts";

/** `mgr up [NAME…]`: runs the manager, in the foreground until a signal or detached. */
export async function up(names: string[], flags: UpFlags): Promise<void> {
  const detached = process.env[DETACHED] === "1";
  // The daemon starts a detached manager, too; it waits for nothing, and only when none runs.
  const hasStarter = detached && process.connected;
  if (flags.detach && !detached) {
    if ((await detach(names, flags)) === "served") return;
    return joinRunning(await loadConfig(flags.config, flags), names, flags);
  }
  const config = await loadConfig(flags.config, { ...flags, otherWay: importHint });
  const { exitWith = null, abortOnFailure = false } = flags;
  if (exitWith !== null && !config.processes.has(exitWith))
    throw new CommandFailure(
      EXIT.notFound,
      `--exit-with: ${config.file} has no process '${exitWith}'${didYouMeanName(exitWith, config.processes.keys())}`,
    );
  if ((!detached || hasStarter) && (await isAlreadyUp(config, flags))) {
    if (!detached) return joinRunning(config, names, flags);
    return endReports({ kind: "running" });
  }
  if (hasStarter) await moveErrors(config.instance.state_dir);
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
      `${paint("bold", config.instance.name)} is up at ${paint("bold", manager.url)}${withProfiles(config.profiles)}  (Ctrl-C stops everything)\n`,
    );
  const { url, hostProblem, loginProblem } = manager;
  if (detached) endReports({ kind: "served", name: config.instance.name, profiles: config.profiles, url, hostProblem, loginProblem });
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
  let endProgress = () => {};
  await new Promise<void>((resolve, reject) => {
    let isEnding = false;
    const end = (why: string) => {
      isEnding = true;
      ending.close();
      report(`${why}: ${keep ? "leaving the processes running" : "stopping everything; press Ctrl-C again to kill what is left"}`);
      if (!keep) endProgress = reportRemaining(manager, report);
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
  }).finally(() => endProgress());
}

/** The command that starts this manager again. NAMES and --all are left out: what they started is requested already, and a user may have stopped it since. */
function launchOf(config: Config, flags: UpFlags): ManagerLaunch {
  return {
    executable: process.execPath,
    args: [...process.execArgv, ...upCommand({ ...flags, config: config.file ?? "", profile: config.profiles })],
    cwd: process.cwd(),
    environment: { ...definedOf(process.env), [DETACHED]: "1" },
  };
}

function definedOf(environment: NodeJS.ProcessEnv): Record<string, string> {
  return Object.fromEntries(Object.entries(environment).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]])));
}
