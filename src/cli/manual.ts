import type { Command } from "commander";
import { DATA_PAGES } from "../features/data-plane/cli/manual.ts";
import { RECORD_PAGES } from "../features/recordings/cli/manual.ts";
import type { Page } from "./command/feature.ts";

const CHOOSING = "NAMES are processes, groups (with all subgroups) or fnmatch patterns such as 'sim/*'.";
const EXIT_CODES = "0 done, 1 failed, 2 usage or bad configuration, 3 not found, 4 time-out";
const CONNECTION = `Without --url and --user, it connects to the manager of the configuration over a unix socket of this machine, without user and
password. With --url or --user, the password comes from the auth file (MGR_WEBUI_AUTH_FILE, or the configured one), by default from its
first entry. With --password-file, or if MGR_WEBUI_AUTH_FILE is set, --url needs no configuration. If the manager has a self-signed
certificate, give its PEM file with --ca-file.`;

const PLAN_JSON =
  "{ok, added, removed, changed, unchanged, restart_needed, starts, stops, differences, hosts, manager_restart_needed, problems}; lists of names, except ok, problems, differences ({name, key, from, to}) and hosts ({name, change, keys})";

const PAGES: Readonly<Record<string, Page>> = {
  ...DATA_PAGES,
  ...RECORD_PAGES,
  up: {
    about: `In the foreground it prints its log, and the output of all processes, each line with its process name. The first SIGINT (Ctrl-C), SIGTERM or SIGHUP stops all processes in reverse order. A second SIGINT
or SIGTERM kills them at once; closing the terminal never does. During the stop, the page and 'mgr ps' keep working, and commands are refused. If the manager is killed,
processes keep running, and the next 'mgr up' adopts them with their pids, states and output.
The port opens, and --detach returns, when the local host is ready for commands, or after 10 s; the log then has the reason.
Starts processes with 'autostart: true', processes that ran when the manager was killed, and NAMES. What a user started or stopped stays
so across 'mgr down' and 'mgr up': a process that a user stopped is not started again, even with 'autostart: true'. 'mgr ps' then says
"stopped by USER at TIME"; start it with 'mgr start NAME', or name it in 'mgr up NAME'.`,
    examples: [
      ["mgr up", "start the manager and all processes with autostart"],
      ["mgr up --detach sim tools/viewer", "run in the background, and start a group and a process"],
      ["mgr up --all --abort-on-failure --exit-with tests", "a CI job: run all processes until 'tests' ends"],
    ],
    exitCodes:
      "the exit code of the process that ended it (--exit-with, --abort-on-failure, 'essential: true'), or 128 plus its signal number",
  },
  down: {
    about: `Also works if the manager is not running: then it stops the daemon and its processes. A second 'mgr down', while the first one
waits, kills the remaining processes. If nothing is running, it succeeds.`,
    examples: [["mgr down", "stop the instance of ./mgr.yaml"]],
  },
  ps: {
    about: `${CHOOSING} Besides the states of the protocol, STATE can be 'restarting' (failed, and not stable since: see restart.stable_after),
'completed' (ended with success), or 'lost' (was running when its host was lost). 'restart to apply changes' stands where the next start
would run another command or configuration; --json has running_command and current_command. CPU% and MEMORY are of the process with
everything that it has started: percent of one CPU, since the last sample or over the life of the run, and resident memory.`,
    json: "an array of processes (docs/protocol.md, 'Process') with cpu_percent and memory_rss, null if not running; with --watch one array per line, after each change",
    examples: [
      ["mgr ps", "everything"],
      ["mgr ps --watch sim", "the group sim, updated on each change"],
      ["mgr ps --json | jq -r '.[] | select(.state == \"error\").name'", "names of failed processes"],
    ],
  },
  top: {
    about: `CPU is in percent of one CPU over the last two seconds, memory is resident memory. Both include all descendants of a process. Failed
processes come first. Arrow keys select a process, whose last output is shown below the list. s, x and r start, stop and restart it (stop and
restart ask first), Enter attaches to it (Ctrl-] returns), / filters by name or state, < and > change the sort column, ? shows all keys, q
quits.`,
    examples: [["mgr top", "live states, CPU load and memory"]],
  },
  hosts: {
    about: `RUNNING is the number of running processes and of all processes of the host. CLOCK is the host's clock minus the manager's. Processes of
a lost host keep running; commands for them are refused until its daemon reconnects.`,
    json: "an array of hosts (docs/protocol.md, 'HostEntry')",
    examples: [["mgr hosts", "all hosts and their states"]],
  },
  start: {
    about: `${CHOOSING} Dependencies are started too. It waits until each process is ready (without a
ready condition: started) or has exited successfully, and prints the results.`,
    examples: [
      ["mgr start sim", "start a group"],
      ["mgr start --no-wait '*/camera'", "start all matches, without waiting"],
    ],
  },
  stop: {
    about: `${CHOOSING} Dependents are stopped first, unless they have 'on_stop: keep'. It lists everything that it
stopped. 'mgr start' then names what is still stopped because of it.`,
    examples: [["mgr stop sim/world", "stop a process and its dependents"]],
  },
  restart: { about: CHOOSING, examples: [["mgr restart sim/world", "stop the process if it runs, then start it"]] },
  signal: {
    about: `${CHOOSING} The signal is sent to the main process of each. Signal names are case-insensitive, and SIG may be omitted (hup, rtmin+3).`,
    examples: [["mgr signal hup 'web/*'", "make the processes of a group reload their configuration"]],
  },
  wait: {
    about: `${CHOOSING} For a process without a ready condition, 'ready' means started.`,
    examples: [
      ["mgr wait db sim --for ready --timeout 60", "wait until all are ready"],
      ["mgr wait job --for stopped", "wait until a job has exited successfully"],
    ],
    exitCodes: "1 as soon as a process fails, 4 after the time-out",
  },
  attach: {
    about:
      "All input goes to the process, including Ctrl-C. Ctrl-] detaches and leaves the process running. The process's terminal takes the size of this one.",
    examples: [["mgr attach tools/editor", "use the process as if it had been started in this terminal"]],
  },
  gui: {
    about: `Run it in a terminal of your desktop and leave it running. Processes with 'forward_x11_to_gui: true' that you start (in the browser, with this
command or a script, as the same user) then show their windows on your desktop, from whatever host they run on. It says which process connects.
It reconnects when the connection to the manager is lost; windows that were open then end. Of several desktops of one user the one that was
connected last gets new windows.
The programs can see and control all windows of your desktop, as with ssh -Y. The cookie of your X server stays on your machine.`,
    examples: [
      ["mgr gui --url https://bench.lab:8130 --user ada", "on the desktop of ada"],
      ["mgr gui --display :1", "another display of this machine"],
    ],
    exitCodes: "1 if the manager or the X server refuses the connection",
  },
  logs: {
    about: `${CHOOSING}

On a terminal only text, colours and line erasing are printed, because other control sequences could change this
terminal. --raw prints all of them. Output to pipes and files is unfiltered.`,
    examples: [
      ["mgr logs -f", "all processes, live, each line with its process name"],
      ["mgr logs --since 10m", "all processes, the last ten minutes"],
      ["mgr logs -n 100 sim/world", "the last hundred lines"],
      ["mgr logs -f 'sim/*'", "a group, live"],
      ["mgr logs sim/world > world.txt", "save all output, unfiltered"],
    ],
  },
  log: {
    about: "The log has the manager's actions with user and reason: starts, exits, refusals, reloads.",
    json: "one object per line: id, ts, level, source, msg",
    examples: [["mgr log -f --level warning", "new warnings and errors, live"]],
  },
  call: {
    about:
      "docs/protocol.md describes the frames. The response is printed as JSON. For an error response the exit code is 1, 2 or 3, depending on its code.",
    examples: [[`mgr call '{"type":"request_process_detail","name":"sim/world"}'`, "all details of a process"]],
  },
  plan: { about: "Changes nothing.", json: PLAN_JSON, examples: [["mgr plan && mgr reload", "preview the changes, then apply them"]] },
  reload: {
    about: `Unchanged processes keep running. Removed processes are stopped. Changed processes that are running keep running, are marked,
and use the new definition from their next start on. If the configuration has problems, they are listed and nothing is changed.`,
    json: PLAN_JSON,
    examples: [["mgr reload", "after editing mgr.yaml"]],
  },
  graph: {
    about: "Shows NAMES and their dependencies, or all processes.",
    json: `an array of {name, command, state, waiting_for, depends_on: [{name, condition}]}; state is null if no manager is running,
condition is null without the configuration file`,
    examples: [
      ["mgr graph sim/viewer", "the viewer and its dependencies"],
      ["mgr graph --dot | dot -Tsvg > graph.svg", "an SVG image, with Graphviz"],
    ],
  },
  check: {
    about: "Reads the file and its includes like 'mgr up', but starts nothing.",
    json: "{ok, problems: [{file, path, line, column, message, excerpt}], processes: names}",
    examples: [["mgr check -c bench.yaml --json", "for an editor or a CI job"]],
    exitCodes: "2 if there are problems",
  },
  init: {
    about: `Writes mgr.yaml and webui.keys to the current folder and never overwrites existing files. The first line of mgr.yaml names its
schema, with which editors complete and check keys (YAML language server). If the folder has a Procfile, it offers to import its processes.
The password is printed once; 'mgr passwd' sets a new one.`,
    examples: [
      ["mgr init && mgr up", "create a configuration and run it"],
      ["mgr init --procfile Procfile --port 9000", "import 'name: command' lines of a Procfile"],
    ],
  },
  "save-all": {
    about: "The archive is a .tar.bz2. Its default name has the instance and the time. An incomplete archive is removed.",
    examples: [
      ["mgr save-all", "save to the current folder"],
      ["mgr save-all - | ssh desk 'cat > bench.tar.bz2'", "save to another machine"],
    ],
  },
  passwd: {
    about: "A running manager uses the change at once and ends the user's sessions.",
    examples: [
      ["mgr passwd ada", "prompt for the new password"],
      ["mgr passwd --generate ci", "generate and print a password, store only its hash"],
      ["mgr passwd --plain ci", "store the password itself: scripts of this machine read it from the auth file"],
    ],
  },
  daemon: {
    about: `The daemon owns terminals and processes, and keeps running if the manager is killed. 'mgr up' starts the daemon of its own machine.
On other machines, use --bus: the daemon connects to the manager (ws://MANAGER:PORT, wss://…) or to the NATS server of
'instance.bus' (nats://…, tls://…), and reconnects for ever; processes keep running meanwhile. SIGTERM stops all its processes,
a second one kills them at once. See docs/multi-host.md.`,
    examples: [
      ["mgr daemon --host rt1 --bus ws://bench.lab:8130 --token-file rt1.token", "run the daemon of another machine"],
      ["mgr daemon -c mgr.yaml", "run the local daemon in the foreground"],
    ],
  },
};

/** Adds to the help of the program and of each command what a manual page would say. */
export function addManual(program: Command): void {
  program.addHelpText(
    "after",
    `\n${EXAMPLES_OF_ALL}\n\nExit codes: ${EXIT_CODES}.\nSet NO_COLOR to disable colours. See 'mgr help COMMAND' for details.`,
  );
  for (const command of program.commands) addPages(command, command.name());
}

function addPages(command: Command, path: string): void {
  // The commands of a group are listed in its help.
  for (const each of command.commands) addPages(each, `${path} ${each.name()}`);
  const page = PAGES[path];
  if (!page) throw new Error(`the command '${path}' has no page in manual.ts`);
  command.showHelpAfterError(`(see mgr ${path} --help)`);
  command.addHelpText("after", () => pageText(page, isConnecting(command)));
}

const EXAMPLES_OF_ALL = `Examples:
  mgr init && mgr up        create a configuration and run it
  mgr ps --watch            show processes and their states, live
  mgr attach NAME           connect this terminal to a process`;

function pageText({ about, json, examples, exitCodes }: Page, connects: boolean): string {
  const width = Math.max(...examples.map(([line]) => line.length));
  const lines = examples.map(([line, purpose]) => `  ${line.padEnd(width)}  # ${purpose}`);
  const codes = exitCodes === undefined ? EXIT_CODES : `${EXIT_CODES}; ${exitCodes}`;
  return [
    "",
    about,
    ...(json === undefined ? [] : ["", `--json: ${json}.`]),
    ...(connects ? ["", CONNECTION] : []),
    "",
    "Examples:",
    ...lines,
    "",
    `Exit codes: ${codes}.`,
  ].join("\n");
}

function isConnecting(command: Command): boolean {
  return command.options.some(({ long }) => long === "--url");
}
