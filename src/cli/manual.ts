import type { Command } from "commander";

interface Page {
  /** What the one line of the list does not say. */
  readonly about: string;
  /** A command line, and what it is for. */
  readonly examples: readonly (readonly [line: string, purpose: string])[];
  /** What `--json` prints. */
  readonly json?: string;
  /** Exit codes beyond the common ones. */
  readonly exitCodes?: string;
}

const CHOOSING = "NAMES are processes, groups (all of their processes, of all levels) or fnmatch patterns such as 'sim/*'.";
const EXIT_CODES = "0 done, 1 failed, 2 usage or bad configuration, 3 not found, 4 time-out";
const CONNECTION = `Without --url and --user the manager of the configuration is reached over a unix socket on this machine: no web user and no
password are needed. With --url or --user the password is that of the auth file (MGR_WEBUI_AUTH_FILE, else the configured one), by default its
first entry's; with --password-file, or where MGR_WEBUI_AUTH_FILE is set, --url needs no configuration.`;

const PLAN_JSON = "{ok, added, removed, changed, unchanged, restart_needed, problems}, names in all but the first and the last";

const PAGES: Readonly<Record<string, Page>> = {
  up: {
    about: `In the foreground it prints its log. The first SIGINT (Ctrl-C), SIGTERM or SIGHUP stops everything in reverse order, a second
one at once; meanwhile the page and 'mgr ps' go on, commands are refused. A killed manager takes nothing along: the next 'mgr up' adopts what runs, with its pids, states and output.
The port opens, and --detach returns, when this machine's host is ready to take commands; after 10 s without its answer it opens all the
same, and the log says why. Started are processes with 'autostart: true', what ran when the manager was killed, and NAMES.`,
    examples: [
      ["mgr up", "run what starts by itself"],
      ["mgr up --detach sim tools/viewer", "in the background, and start a group and a process"],
      ["mgr up --all --abort-on-failure --exit-with tests", "a CI job: run everything until the process 'tests' ends"],
    ],
    exitCodes: "that of the process that ended it (--exit-with, --abort-on-failure, 'essential: true'), or 128 and its signal's number",
  },
  down: {
    about: `Works without a manager, too: the daemon that holds the processes is told to stop them. A second one, while the first waits,
kills what is left. Nothing running is success.`,
    examples: [["mgr down", "end the instance of ./mgr.yaml"]],
  },
  ps: {
    about: CHOOSING,
    json: "an array of processes (docs/protocol.md, 'Process'); with --watch one array a line, again after each change",
    examples: [
      ["mgr ps", "everything"],
      ["mgr ps --watch sim", "the group sim, repainted on each change"],
      ["mgr ps --json | jq -r '.[] | select(.state == \"error\").name'", "names of what failed"],
    ],
  },
  top: {
    about: `CPU is percent of one CPU over the last two seconds, memory what is resident, both of a process with everything below it. Arrow keys
select a process, s, x and r start, stop and restart it, Enter attaches to it (Ctrl-] comes back), / filters by name or state, < and > sort by
another column, ? shows all keys, q ends it. The terminal is given back however it ends.`,
    examples: [["mgr top", "what takes how much, live"]],
  },
  hosts: {
    about: `RUNNING counts processes that run, of those that belong there; CLOCK is a host's clock minus the manager's. A host that is lost
keeps its processes; commands for them are refused until its daemon is heard again.`,
    json: "an array of hosts (docs/protocol.md, 'HostEntry')",
    examples: [["mgr hosts", "who is there"]],
  },
  start: {
    about: `${CHOOSING} What they depend on is started, too. It waits until each is ready (or started, where no ready
condition is configured, or has ended well) and prints what came of it.`,
    examples: [
      ["mgr start sim", "a group"],
      ["mgr start --no-wait '*/camera'", "by a pattern, without waiting"],
    ],
  },
  stop: {
    about: `${CHOOSING} First those are stopped that depend on them, unless their 'on_stop' says otherwise.`,
    examples: [["mgr stop sim/world", "one process and what needs it"]],
  },
  restart: { about: CHOOSING, examples: [["mgr restart sim/world", "stop it if it runs, then start it"]] },
  signal: {
    about: `${CHOOSING} The signal goes to the leader of each process; its name may be written without SIG, in small letters (hup, rtmin+3).`,
    examples: [["mgr signal hup 'web/*'", "let them read their configuration again"]],
  },
  wait: {
    about: `${CHOOSING} 'ready' is started for a process without a ready condition.`,
    examples: [
      ["mgr wait db sim --for ready --timeout 60", "until all of it is ready"],
      ["mgr wait job --for stopped", "until a job has ended well"],
    ],
    exitCodes: "1 as soon as one of them fails, 4 when the time is over",
  },
  attach: {
    about: "Everything that is typed goes to the process, Ctrl-C too; Ctrl-] leaves it running. The size of this terminal becomes its.",
    examples: [["mgr attach tools/editor", "work in it as if it had been started here"]],
  },
  logs: {
    about: `${CHOOSING}

On a terminal only text, colours and line erasing are printed: other control sequences were meant for the terminal of the
process, and could act on this one. --raw prints them too. Pipes and files get all output as it came.`,
    examples: [
      ["mgr logs -n 100 sim/world", "the last hundred lines"],
      ["mgr logs -f 'sim/*'", "a whole group, live, each line with its process"],
      ["mgr logs sim/world > world.txt", "all of it, control sequences included"],
    ],
  },
  log: {
    about: "What the manager did, for whom and why: starts, exits, refusals, reloads.",
    json: "one object a line: id, ts, level, source, msg",
    examples: [["mgr log -f --level warning", "what needs a look, live"]],
  },
  call: {
    about: "Frames are described in docs/protocol.md. The answer is printed as JSON; a refusal is exit code 1, 2 or 3 by its code.",
    examples: [[`mgr call '{"type":"request_process_detail","name":"sim/world"}'`, "what is known of a process"]],
  },
  plan: { about: "Changes nothing.", json: PLAN_JSON, examples: [["mgr plan && mgr reload", "look, then do it"]] },
  reload: {
    about: `Processes whose definition is unchanged keep running; removed ones are stopped first; changed ones that run are marked and take
the change at their next start. A bad file changes nothing and every problem is named.`,
    json: PLAN_JSON,
    examples: [["mgr reload", "after editing mgr.yaml"]],
  },
  graph: {
    about: "Of NAMES and all they need, or of everything.",
    json: `an array of {name, command, state, waiting_for, depends_on: [{name, condition}]}; state is null where no manager runs,
condition where the configuration is not at hand`,
    examples: [
      ["mgr graph sim/viewer", "what has to run for the viewer"],
      ["mgr graph --dot | dot -Tsvg > graph.svg", "a picture, with Graphviz"],
    ],
  },
  check: {
    about: "Reads the file and everything that it includes, as 'mgr up' would, and starts nothing.",
    json: "{ok, problems: [{file, path, line, column, message, excerpt}], processes: names}",
    examples: [["mgr check -c bench.yaml --json", "for an editor or a CI job"]],
    exitCodes: "2 when there is a problem",
  },
  init: {
    about: `Writes mgr.yaml and webui.keys into the current folder, and never over a file that is there. The password is printed once;
'mgr passwd' makes others.`,
    examples: [
      ["mgr init && mgr up", "the page within a minute"],
      ["mgr init --procfile Procfile --port 9000", "each line 'name: command' of a Procfile becomes a process"],
    ],
  },
  "save-all": {
    about: "A .tar.bz2, named after the instance and the time unless FILE is given. It is complete or not there.",
    examples: [
      ["mgr save-all", "into the current folder"],
      ["mgr save-all - | ssh desk 'cat > bench.tar.bz2'", "over a pipe"],
    ],
  },
  passwd: {
    about: "A running manager takes it over at once; earlier sessions of the user end.",
    examples: [
      ["mgr passwd ada", "asks for it, without showing it"],
      ["mgr passwd --generate --hash ci", "prints a new one, and keeps only its hash"],
    ],
  },
  daemon: {
    about: `The daemon holds terminals and processes, and outlives a killed manager. 'mgr up' starts the one of its own machine by
itself. With --bus it is that of another machine: it connects to the manager (ws://MANAGER:PORT, wss://…), or to the
NATS server of 'instance.bus' (nats://…, tls://…), and again for ever when the link is cut; what it runs goes on
meanwhile. SIGTERM stops everything that it runs, a second one at once. docs/multi-host.md has the whole story.`,
    examples: [
      ["mgr daemon --host rt1 --bus ws://bench.lab:8130 --token-file rt1.token", "on another machine, in the foreground"],
      ["mgr daemon -c mgr.yaml", "the manager's own, to watch it"],
    ],
  },
};

/** Adds to the help of the program and of each command what a manual page would say. */
export function addManual(program: Command): void {
  program.addHelpText(
    "after",
    `\n${EXAMPLES_OF_ALL}\n\nExit codes: ${EXIT_CODES}.\nNO_COLOR turns colours off. 'mgr help COMMAND' says more.`,
  );
  for (const command of program.commands) {
    const page = PAGES[command.name()];
    if (!page) throw new Error(`the command '${command.name()}' has no page in manual.ts`);
    command.addHelpText("after", pageText(page, isConnecting(command)));
  }
}

const EXAMPLES_OF_ALL = `Examples:
  mgr init && mgr up        a configuration to begin with, and its page
  mgr ps --watch            what runs
  mgr attach NAME           the terminal of a process`;

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
