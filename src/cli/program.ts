import { readFileSync } from "node:fs";
import { Command, InvalidArgumentError, Option } from "commander";
import { visibleLines } from "../base/visible-text.ts";
import { LOG_LEVELS } from "../protocol/log-level.ts";
import { PROCESS_STATES } from "../protocol/process-state.ts";
import { attach } from "./commands/attach.ts";
import { call } from "./commands/call.ts";
import { check } from "./commands/check.ts";
import { control } from "./commands/control.ts";
import { down } from "./commands/down.ts";
import { graph } from "./commands/graph.ts";
import { hosts } from "./commands/hosts.ts";
import { log } from "./commands/log.ts";
import { logs } from "./commands/logs.ts";
import { ps } from "./commands/ps.ts";
import { plan, reload } from "./commands/reload.ts";
import { signal } from "./commands/signal.ts";
import { top } from "./commands/top.ts";
import { up } from "./commands/up.ts";
import { wait } from "./commands/wait.ts";
import { addManual } from "./manual.ts";

const { version } = JSON.parse(readFileSync(new URL("../../package.json", import.meta.url), "utf8")) as { version: string };

/** Every command with its options and help; parsing runs one. */
export function createProgram(): Command {
  const program = new Command("mgr")
    .description("Supervises processes in groups under real terminals, and serves them on one port to a browser, scripts and this command.")
    .version(version)
    .showHelpAfterError("(mgr --help shows what there is)")
    .configureOutput({ writeErr: (text) => process.stderr.write(visibleLines(text)) })
    .exitOverride();

  program
    .command("up [names...]")
    .description("run the manager and what is configured to start by itself, and NAMES")
    .addOption(configuration())
    .option("-d, --detach", "leave it running in the background")
    .option("--all", "start every process")
    .option("--keep", "leave the processes running when this ends")
    .addOption(new Option("--abort-on-failure", "stop everything when any process fails, and end with its exit code").conflicts("detach"))
    .addOption(
      new Option("--exit-with <name>", "start this process, too; when it ends stop everything and end with its exit code").conflicts(
        "detach",
      ),
    )
    .action(up);

  program
    .command("down")
    .description("end the manager, its daemon and every process, in reverse order")
    .addOption(configuration())
    .option("--timeout <seconds>", "how long to wait", seconds, 60)
    .action(down);

  connecting(program.command("ps [names...]"))
    .description("list processes and their states")
    .option("--json", "as JSON")
    .option("-w, --watch", "repaint on every change")
    .action(ps);

  connecting(program.command("top"))
    .description("a live list over the whole terminal: states, load, memory; start, stop, restart and attach from it")
    .action(top);

  connecting(program.command("hosts"))
    .description("list the machines that processes run on, and whether their daemons are there")
    .option("--json", "as JSON")
    .action(hosts);

  for (const verb of ["start", "stop", "restart"] as const) {
    connecting(program.command(`${verb} <names...>`))
      .description(`${verb} processes, groups or whatever matches a pattern, and wait for it`)
      .option("--no-wait", "return as soon as the manager has accepted it")
      .option("--timeout <seconds>", "how long to wait", seconds, 60)
      .action((names, flags) => control(verb, names, flags));
  }

  connecting(program.command("signal <signal> <names...>")).description("send a signal such as HUP to running processes").action(signal);

  connecting(program.command("wait <names...>"))
    .description("wait until processes are in a state; fails when one of them fails")
    .addOption(new Option("--for <state>", "the state").choices(PROCESS_STATES).default("ready"))
    .option("--timeout <seconds>", "how long to wait", seconds, 30)
    .action(wait);

  connecting(program.command("attach <name>"))
    .description("make this terminal that of a process; Ctrl-] leaves")
    .option("-n, --lines <count>", "how many lines of its output to begin with", count, 1000)
    .action(attach);

  connecting(program.command("log"))
    .description("print the manager's own log")
    .option("-f, --follow", "go on with what comes")
    .option("-n, --lines <count>", "only the last so many entries to begin with", count)
    .addOption(new Option("--level <level>", "lowest level").choices(LOG_LEVELS).default("info"))
    .option("--json", "each entry as a line of JSON")
    .action(log);

  connecting(program.command("logs <names...>"))
    .description("print the output of processes")
    .option("-f, --follow", "go on with what comes")
    .option("-n, --lines <count>", "how many lines of each to begin with", count, 1000)
    .option("--raw", "on a terminal, too, print every control sequence as it came")
    .action(logs);

  connecting(program.command("call <json>")).description("send any frame of the protocol and print its answer").action(call);

  connecting(program.command("plan"))
    .description("show what a reload of the configuration would change")
    .option("--json", "as JSON")
    .action(plan);

  connecting(program.command("reload"))
    .description("let the manager read its configuration again; unchanged processes go on")
    .option("--json", "as JSON")
    .action(reload);

  connecting(program.command("graph [names...]"))
    .description("draw who needs whom, with commands, states and who waits for what")
    .addOption(new Option("--dot", "for Graphviz").conflicts(["mermaid", "json"]))
    .addOption(new Option("--mermaid", "for Mermaid").conflicts(["dot", "json"]))
    .option("--json", "as JSON")
    .action(graph);

  program
    .command("init")
    .description("write a configuration to begin with, and a web user with a new password")
    .addOption(configuration())
    .option("--name <name>", "name of the instance; by default that of the folder")
    .option("--port <port>", "port of the page and the WebSocket", port, 8130)
    .option("--procfile <file>", "take the processes from a Procfile")
    .action(async (flags) => (await import("./commands/init.ts")).init(flags));

  connecting(program.command("save-all [file]"))
    .description("save an archive of all there is to know: states, configuration without secrets, logs, output; '-' is stdout")
    .action(async (file, flags) => (await import("./commands/save-all.ts")).saveAll(file, flags));

  program
    .command("check")
    .description("validate a configuration; every problem with file, line and column")
    .addOption(configuration())
    .option("--json", "as JSON")
    .action(check);

  program
    .command("passwd <user>")
    .description("make a user of the web interface, or give one another password")
    .addOption(configuration())
    .option("--file <file>", "the auth file; by default MGR_WEBUI_AUTH_FILE, else the configured one")
    .option("--hash", "write only a hash of the password: programs cannot read it there")
    .option("--stdin", "read the password from stdin, its first line")
    .option("--generate", "make a password and print it")
    .action(async (user, flags) => (await import("./commands/passwd.ts")).passwd(user, flags));

  program
    .command("daemon")
    .description("run a host's daemon in the foreground: that of another machine with --bus (mgr up starts its own by itself)")
    .option("-c, --config <file>", "without --bus: the configuration file (default: mgr.yaml)")
    .option("--host <name>", "name of this host in the manager's 'hosts' (default: the machine's name)")
    .option("--bus <url...>", "where the manager or its NATS server is; several are tried in turn")
    .option("--token-file <file>", "file with the token of this host")
    .option("--ca-file <file>", "PEM file with the authorities that may vouch for the bus")
    .option("--state-dir <folder>", "where the daemon keeps its lock and log (default: $XDG_STATE_HOME/mgr/daemon-NAME)")
    .option("--cwd <folder>", "what relative paths of processes mean here (default: the current folder)")
    .action(async (flags) => (await import("./commands/daemon.ts")).daemon(flags));

  addManual(program);
  return program;
}

const configuration = () => new Option("-c, --config <file>", "configuration file").default("mgr.yaml");
const connecting = (command: Command) =>
  command
    .addOption(configuration())
    .option("--url <url>", "the manager's address (MGR_URL)")
    .option("--user <name>", "web user (MGR_USER)")
    .option("--password-file <file>", "file that holds the user's password (MGR_PASSWORD_FILE)");

function seconds(text: string): number {
  const value = Number(text);
  if (!(value > 0 && value <= 86_400)) throw new InvalidArgumentError("a number of seconds up to 86400 is expected.");
  return value;
}

function port(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0 || value > 65_535)
    throw new InvalidArgumentError("a port from 0 to 65535 is expected; 0 is any free one.");
  return value;
}

function count(text: string): number {
  const value = Number(text);
  if (!Number.isInteger(value) || value < 1 || value > 100_000)
    throw new InvalidArgumentError("a whole number from 1 to 100000 is expected.");
  return value;
}
