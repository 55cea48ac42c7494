import type { z } from "zod";
import { LIMIT_NAMES, type LimitName } from "../../contract/run.ts";
import { vnc } from "../../features/displays/config.ts";
import { Expanded } from "../load/expanded.ts";
import type { Finding } from "../load/problems.ts";
import { described, listOf, listOr, namedMap, section } from "./schema-kinds.ts";
import { alive, ready } from "./schema-probes.ts";
import {
  backlog,
  choice,
  command,
  commandProblem,
  cpuList,
  duration,
  durationOrNone,
  environmentValue,
  factor,
  fileMode,
  flag,
  integer,
  logFileSize,
  passedName,
  path,
  positiveDuration,
  resourceLimit,
  signal,
  text,
  umask,
  user,
  variableProblem,
} from "./schema-values.ts";
import { parseDuration } from "./units.ts";

/** The keys of a process, of a template and of 'defaults'. */
const terminal = section({
  rows: described("Lines of the terminal. Default 24.", integer(1, 65_535)),
  cols: described("Columns of the terminal. Default 80.", integer(1, 65_535)),
  backlog: described("How much output is kept, in bytes or such as 64KiB, 4MiB. Default 4MiB.", backlog),
});

const restart = section(
  {
    policy: described(
      "When a process that ended without a stop request is restarted. Default never.",
      choice("never", "on-failure", "always"),
    ),
    delay: described("Delay before the first restart. Default 1s.", duration),
    factor: described("Factor by which each further delay is longer. Default 2.", factor),
    max_delay: described("Longest delay. Default 60s.", duration),
    max_restarts: described(
      "More restarts than this within the window, or in a row without a run as long as reset_after, are a crash loop: state error. Default 10.",
      integer(0, 1_000_000),
    ),
    window: described("Time window for max_restarts. Default 5m.", positiveDuration),
    reset_after: described("A run that lasts this long resets the delay. Default 60s.", duration),
    stable_after: described("After a failure the process is shown as restarting until a run has lasted this long. Default 10s.", duration),
  },
  {
    check: (values, report) => {
      const delay = parseDuration(values.get("delay"));
      const longest = parseDuration(values.get("max_delay"));
      if (delay !== undefined && longest !== undefined && longest < delay)
        report({ path: ["max_delay"], message: "is shorter than 'delay'" });
    },
  },
);

const stop = section(
  {
    signal: described("Signal that asks the process to end. Default SIGTERM.", signal),
    command: described("A command that ends the process, instead of a signal. It runs in the process's folder and environment.", command),
    send: described(
      'Text to type into the terminal, instead of a signal: "\\x03" is Ctrl-C.',
      text('text to type, such as "\\x03" for Ctrl-C'),
    ),
    timeout: described("Time-out, after which the rest of its process tree is killed. Default 10s.", duration),
  },
  {
    check: (values, report) => {
      const ways = ["signal", "command", "send"].filter((key) => values.has(key));
      if (ways.length > 1) report({ path: [], message: `has ${ways.map((key) => `'${key}'`).join(" and ")}; use one of them`, at: "key" });
      const problem = commandProblem(values.get("command"), false);
      if (problem !== null) report({ path: ["command"], message: problem });
    },
  },
);

const dependency = section({
  condition: described(
    "What to wait for. Default ready; a process without a ready condition is ready when started.",
    choice("started", "ready", "completed"),
  ),
  on_stop: described(
    "What happens to this process when the other one is stopped by request: it is stopped first, and stays stopped (stop, the default) or starts again when the other one is started (restart); or it runs on (keep).",
    choice("stop", "restart", "keep"),
  ),
});
const dependsOn = listOr(
  listOf("process names", text("the name of a process"), { uniqueItems: true }),
  namedMap("a list of process names, or a mapping from them to {condition, on_stop}", dependency, () => null),
);

const limits = section(
  Object.fromEntries(
    LIMIT_NAMES.map((name) => [name, described(`RLIMIT_${name.toUpperCase()} of setrlimit(2), soft and hard.`, resourceLimit)]),
  ) as Record<LimitName, ReturnType<typeof described<typeof resourceLimit>>>,
);

const scheduling = section(
  {
    policy: described("Scheduling policy of Linux.", choice("other", "batch", "idle", "fifo", "rr")),
    prio: described("Priority, for the policies fifo and rr.", integer(1, 99)),
    affinity: described('CPUs to run on, such as "0,2-4".', cpuList),
    nice: described("Nice value from -20 (highest priority) to 19.", integer(-20, 19)),
  },
  {
    check: (values, report) => {
      const policy = values.get("policy");
      const realtime = policy === "fifo" || policy === "rr";
      if (values.has("prio") && policy !== undefined && !realtime)
        report({ path: ["prio"], message: "is for the policies fifo and rr only" });
      if (realtime && !values.has("prio")) report({ path: ["policy"], message: `'${policy}' needs a 'prio' from 1 to 99` });
    },
  },
);

const logFile = section(
  {
    path: path("the path of a file").meta({ description: "Relative to the folder of this file." }),
    max_size: described("Size at which the file is rotated. Default 10MiB.", logFileSize),
    max_files: described("Number of files that are kept, including the current one. Default 5.", integer(1, 1_000)),
    mode: described('Mode of new files, in quotes. Default "0600": only the owner can read them.', fileMode),
  },
  { allowed: "the path of a file, or a mapping with the keys path, max_size, max_files, mode" },
);

/** One value, or a list of such. */
function oneOrMore<Value extends z.ZodType>(what: string, value: Value) {
  return listOr(listOf(what, value), value);
}

export const shared = {
  cwd: described("Working directory, relative to the folder of this file. Default: that folder.", path("the path of a folder")),
  environment: described(
    "Environment variables of the process, merged with those of its templates and of 'defaults'.",
    namedMap("a mapping from names to values", environmentValue, variableProblem),
  ),
  pass_environment: described(
    "Variables to inherit in addition to the standard ones; a '*' at the end matches the rest of a name.",
    listOf("variable names", passedName),
  ),
  env_file: described(
    "Files of NAME=value lines, relative to the folder of this file; later files override earlier ones, 'environment' overrides all.",
    oneOrMore("paths", path("the path of a file")),
  ),
  shell: described("Run commands given as strings through /bin/sh -c even without shell syntax. Default false.", flag),
  user: described("Name or number of the user to run as. Default: that of the daemon.", user),
  umask: described('Octal, in quotes: "022".', umask),
  limits: described("Resource limits, soft and hard.", limits),
  scheduling: described("How the kernel schedules the process.", scheduling),
  terminal: described("The process's terminal.", terminal),
  ready_timeout: described("How long a process may take to become ready. Default none.", durationOrNone),
  restart: described("Restart policy, for a process that ends without a stop request.", restart),
  stop: described("How the process is stopped.", stop),
  success_exit_codes: described("Exit codes that mean success. Default [0].", listOf("exit codes", integer(0, 255))),
  autostart: described("Start with the manager. Default false.", flag),
  essential: described("A failure of this process ends 'mgr up' with its exit code. Default false.", flag),
  confirm: described("The page asks before it stops or restarts this process, as it does for an essential one. Default false.", flag),
  watch: described(
    "Restart when a matching file changes: globs, relative to the folder of this file.",
    oneOrMore("globs", path("a glob such as src/**/*.js")),
  ),
  log_file: described(
    "File to which all output is written, rotated by size.",
    pathOr(path("the path of a file, or a mapping with the keys path, max_size, max_files, mode"), logFile),
  ),
  output_on_disk: described(
    "Keep the newest output (8 MiB) on disk, so that it can still be read after the host was restarted. Default false: it is kept until the host goes down.",
    flag,
  ),
  start_tool: described("Start tool to use: a value of 'instance.start_tools', or none.", text("the value of a start tool, or none")),
};

const own = {
  extends: described(
    "Templates to merge; later ones override earlier ones.",
    oneOrMore("names of templates", text("the name of a template")),
  ),
  node: described(
    "Where the process runs: a name of 'nodes' or 'hosts'. Default localhost, the manager's own host.",
    text("the name of a node"),
  ),
  alternate_commands: described(
    "Alternative commands by label, selectable at run time.",
    namedMap("a mapping from labels to commands", command, labelProblem),
  ),
  ready: described("When the process counts as ready: after an output line, a time, or when a probe succeeds.", ready),
  alive: described("A probe that must keep succeeding while the process is ready; otherwise the process is stopped as failed.", alive),
  forward_x11: described(
    "Show the windows of this process on the manager's own X display if it has one, else on the private display of the web user who starts it. Default false.",
    flag,
  ),
  forward_x11_to_gui: described(
    "Show the windows of this process on the desktop of the user who starts it, while 'mgr gui' runs there, else on the private display of this user. Default false.",
    flag,
  ),
  forward_x11_to_vnc: described(
    "Show the windows of this process on the X display of this other one, which must have 'vnc'. It may run on another host.",
    text("the name of a process with 'vnc'"),
  ),
  vnc: described("The process is a VNC server: its display can be opened in the browser.", vnc),
  depends_on: described(
    "Processes that must be ready, started or completed before this one starts: a list of names, or a mapping with conditions.",
    dependsOn,
  ),
};

const commandText =
  "A string is split into words and executed directly; with shell syntax it goes through /bin/sh -c. A list of words is always executed directly.";

export const processSection = section(
  { command: described(commandText, command), ...own, ...shared },
  {
    allowed: "a mapping with at least the key command",
    json: { anyOf: [{ required: ["command"] }, { required: ["extends"] }] },
    check: checkProcess,
  },
);
export const templateSection = section({ command: described(commandText, command), ...own, ...shared }, { check: checkCommands });
export const defaultsSection = section(shared);

/** A process of the file; templates have the same keys. */
export type ProcessSection = z.output<typeof processSection>;

function pathOr<Text extends z.ZodType, Mapping extends z.ZodType>(single: Text, mapping: Mapping) {
  return listOr(single, mapping, (value) => typeof value !== "object" || value === null || value instanceof Expanded);
}

function labelProblem(label: string): string | null {
  if (label === "default") return "is reserved: it selects 'command'";
  if (label === "" || label.length > 64) return "must have 1 to 64 characters";
  return /\p{C}/u.test(label) ? "has a non-printable character" : null;
}

/** Only a template can supply a command that is not there. */
function checkProcess(values: ReadonlyMap<string, unknown>, report: (finding: Finding) => void): void {
  if (!values.has("command") && !values.has("extends"))
    report({ path: ["command"], message: "is missing; it must be a command: a string, or a list of words", at: "key" });
  checkCommands(values, report);
}

/** What templates decide together with it is checked when they are put together. */
function checkCommands(values: ReadonlyMap<string, unknown>, report: (finding: Finding) => void): void {
  if (values.has("extends")) return;
  const check = (path: string[], value: unknown) => {
    const problem = commandProblem(value, values.get("shell") === true);
    if (problem !== null) report({ path, message: problem });
  };
  check(["command"], values.get("command"));
  const alternates = values.get("alternate_commands");
  const entries = alternates instanceof Map ? alternates : new Map(Object.entries(alternates ?? {}));
  for (const [label, value] of entries) check(["alternate_commands", String(label)], value);
}
