import { Command, Option } from "commander";
import { visibleLines } from "../base/visible-text.ts";
import { addDataCommands, addNetworkCommands } from "../features/data-plane/cli/program.ts";
import { addRecordCommands } from "../features/recordings/cli/program.ts";
import { VERSION } from "../http/package-files.ts";
import { PROCESS_STATES } from "../protocol/process/process-state.ts";
import { LOG_LEVELS } from "../protocol/resources/log-level.ts";
import { age, configuration, connecting, count, port, seconds, trust } from "./command/option-values.ts";
import { addManual } from "./manual.ts";
import { withSuggestion } from "./suggestion.ts";

/**
 * Every command with its options and help; parsing runs one, and loads no other. `first`: the first word of a command line; where that is one
 * of the commands that are defined first, the large groups are left out.
 */
export function createProgram(first: string | null = null): Command {
  const program = new Command("mgr")
    .description("Supervises processes in groups under real terminals, and serves them to a browser, scripts and this command on one port.")
    .version(VERSION)
    .showHelpAfterError("(see mgr --help)")
    .showSuggestionAfterError(false)
    .configureOutput({
      writeErr: (text) => process.stderr.write(visibleLines(text)),
      outputError: (text, write) => write(withSuggestion(program, text)),
    })
    .exitOverride();

  program
    .command("up [names...]")
    .description("run the manager, and start NAMES and all processes with 'autostart: true'")
    .addOption(configuration())
    .addOption(trust())
    .option("-d, --detach", "run the manager in the background")
    .option("--all", "start every process")
    .option("--no-output", "in the foreground, do not print the output of processes")
    .option("--keep", "leave the processes running when the manager ends")
    .addOption(new Option("--abort-on-failure", "stop everything when a process fails, and exit with its exit code").conflicts("detach"))
    .addOption(
      new Option("--exit-with <name>", "start this process too; when it ends, stop everything and exit with its exit code").conflicts(
        "detach",
      ),
    )
    .action(async (names, flags) => (await import("./commands/instance/up.ts")).up(names, flags));

  program
    .command("down")
    .description("stop all processes in reverse order, then the manager and its daemon")
    .addOption(configuration())
    .addOption(trust())
    .option("--timeout <seconds>", "how long to wait", seconds, 60)
    .action(async (flags) => (await import("./commands/instance/down.ts")).down(flags));

  connecting(program.command("ps [names...]"))
    .description("list processes and their states")
    .option("--json", "as JSON")
    .option("-w, --watch", "repaint on every change")
    .action(async (names, flags) => (await import("./commands/processes/ps.ts")).ps(names, flags));

  connecting(program.command("top"))
    .description("full-screen view of states, load and memory; start, stop, restart and attach to processes")
    .action(async (flags) => (await import("./commands/top/top.ts")).top(flags));

  connecting(program.command("hosts"))
    .description("list the hosts that processes run on, and whether their daemons are connected")
    .option("--json", "as JSON")
    .action(async (flags) => (await import("./commands/processes/hosts.ts")).hosts(flags));

  for (const verb of ["start", "stop", "restart"] as const) {
    connecting(program.command(`${verb} <names...>`))
      .description(`${verb} processes, groups or matches of a pattern, and wait for the result`)
      .option("--no-wait", "return as soon as the manager has accepted the command")
      .option("--timeout <seconds>", "how long to wait", seconds, 60)
      .action(async (names, flags) => (await import("./commands/processes/control.ts")).control(verb, names, flags));
  }

  connecting(program.command("signal <signal> <names...>"))
    .description("send a signal such as HUP to running processes")
    .action(async (word, names, flags) => (await import("./commands/processes/signal.ts")).signal(word, names, flags));

  connecting(program.command("wait <names...>"))
    .description("wait until processes are in a state; fails if a process fails")
    .addOption(new Option("--for <state>", "the state").choices(PROCESS_STATES).default("ready"))
    .option("--timeout <seconds>", "how long to wait", seconds, 30)
    .action(async (names, flags) => (await import("./commands/processes/wait.ts")).wait(names, flags));

  connecting(program.command("attach <name>"))
    .description("connect this terminal to a process; Ctrl-] detaches")
    .option("-n, --lines <count>", "number of past lines of output to show", count, 1000)
    .action(async (name, flags) => (await import("./commands/processes/attach.ts")).attach(name, flags));

  connecting(program.command("gui"))
    .description("on a desktop: show windows of processes on its X display, like ssh -X")
    .option("--display <name>", "the X display (default: DISPLAY)")
    .action(async (flags) => (await import("../features/displays/cli/gui.ts")).gui(flags));

  connecting(program.command("log"))
    .description("print the manager's own log")
    .option("-f, --follow", "continue with new entries")
    .option("-n, --lines <count>", "number of past entries to show (default: all)", count)
    .addOption(new Option("--level <level>", "lowest level").choices(LOG_LEVELS).default("info"))
    .option("--json", "one JSON object per line")
    .action(async (flags) => (await import("./commands/messages/log.ts")).log(flags));

  connecting(program.command("logs [names...]"))
    .description("print the output of processes; without NAMES of all")
    .option("-f, --follow", "continue with new entries")
    .option("-n, --lines <count>", "number of past lines to show for each process (default: 1000, without NAMES 20)", count)
    .option("--since <time>", "only output since a time, or of the last 30s, 10m, 2h (for example 14:30, 2026-11-22T14:30)", age)
    .option("--raw", "print all control sequences, also on a terminal")
    .action(async (names, flags) => (await import("./commands/messages/logs.ts")).logs(names, flags));

  connecting(program.command("call <json>"))
    .description("send any frame of the protocol and print the response")
    .action(async (json, flags) => (await import("./commands/messages/call.ts")).call(json, flags));

  connecting(program.command("plan"))
    .description("show what a reload of the configuration would change")
    .option("--json", "as JSON")
    .action(async (flags) => (await import("./commands/configuration/reload.ts")).plan(flags));

  connecting(program.command("reload"))
    .description("reload the configuration; unchanged processes keep running")
    .option("--dry-run", "change nothing, as 'mgr plan'")
    .option("--json", "as JSON")
    .action(async (flags) => (await import("./commands/configuration/reload.ts")).reload(flags));

  connecting(program.command("graph [names...]"))
    .description("show the dependencies between processes, with commands and states")
    .addOption(new Option("--dot", "output for Graphviz").conflicts(["mermaid", "json"]))
    .addOption(new Option("--mermaid", "output for Mermaid").conflicts(["dot", "json"]))
    .option("--json", "as JSON")
    .action(async (names, flags) => (await import("./commands/configuration/graph.ts")).graph(names, flags));

  if (!program.commands.some((command) => command.name() === first)) {
    addDataCommands(program);
    addNetworkCommands(program);
    addRecordCommands(program);
  }

  program
    .command("init")
    .description("create a first configuration, and a web user with a generated password")
    .option("-c, --config <file>", "configuration file to create", "mgr.yaml")
    .option("--name <name>", "name of the instance (default: the name of the folder)")
    .option("--port <port>", "port of the page and the WebSocket", port, 8130)
    .option("--procfile <file>", "import the processes of a Procfile")
    .action(async (flags) => (await import("./commands/setup/init.ts")).init(flags));

  connecting(program.command("save-all [file]"))
    .description("save an archive of states, configuration without secrets, logs and output; '-' writes to stdout")
    .action(async (file, flags) => (await import("./commands/setup/save-all.ts")).saveAll(file, flags));

  program
    .command("check")
    .description("validate a configuration; reports all problems with file, line and column")
    .addOption(configuration())
    .addOption(trust())
    .option("--json", "as JSON")
    .action(async (flags) => (await import("./commands/setup/check.ts")).check(flags));

  program
    .command("passwd <user>")
    .description("add a web user, or change the password of one")
    .addOption(configuration())
    .addOption(trust())
    .option("--file <file>", "the auth file (default: MGR_WEBUI_AUTH_FILE, or the configured one)")
    .option("--plain", "store the password itself instead of a hash, for programs of this machine that read it from the file")
    .option("--stdin", "read the password from the first line of stdin")
    .option("--generate", "generate a password and print it")
    .action(async (user, flags) => (await import("./commands/setup/passwd.ts")).passwd(user, flags));

  program
    .command("daemon")
    .description("run the daemon of a host in the foreground, with --bus on another machine (mgr up starts the local one)")
    .option("-c, --config <file>", "configuration file, without --bus (default: mgr.yaml in this folder or the nearest one above)")
    .addOption(trust())
    .option("--host <name>", "name of this host in the manager's 'hosts' (default: the machine's name)")
    .option("--bus <url...>", "address of the manager or its NATS server; several are tried in turn")
    .option("--token-file <file>", "file with the token of this host")
    .option("--ca-file <file>", "PEM file with the trusted certificate authorities for the bus")
    .option("--state-dir <folder>", "folder for the daemon's lock and log (default: $XDG_STATE_HOME/mgr/daemon-NAME)")
    .option("--cwd <folder>", "base folder of relative paths of processes (default: the current folder)")
    .action(async (flags) => (await import("./commands/setup/daemon.ts")).daemon(flags));

  addManual(program);
  return program;
}
