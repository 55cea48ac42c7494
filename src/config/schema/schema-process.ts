import type { z } from "zod";
import { POLICIES, type Policy } from "../../base/scheduling-policies.ts";
import { LIMIT_NAMES, type LimitName } from "../../contract/run-settings.ts";
import { DEPENDENCY_CONDITIONS } from "../../contract/supervision.ts";
import { CONDITIONS_TEXT, PROCESS_KEYS, SHARED_KEYS } from "../features.ts";
import { Expanded } from "./expanded.ts";
import type { Finding } from "./problems.ts";
import { defaulted, defaultsOf, described, layer, listOf, listOr, namedMap, orNull, section } from "./schema-kinds.ts";
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
const terminal = {
  rows: defaulted("Lines of the terminal. Default {}.", integer(1, 65_535), 24),
  cols: defaulted("Columns of the terminal. Default {}.", integer(1, 65_535), 80),
  backlog: defaulted("How much output is kept, in bytes or such as 64KiB, 4MiB. Default {}.", backlog, "4MiB"),
};
export const TERMINAL = defaultsOf(terminal);

const restart = {
  policy: defaulted(
    "When a process that ended without a stop request is restarted. Default {}.",
    choice("never", "on-failure", "always"),
    "never",
  ),
  delay: defaulted("Delay before the first restart. Default {}.", duration, "1s"),
  factor: defaulted("Factor by which each further delay is longer. Default {}.", factor, 2),
  max_delay: defaulted("Longest delay. Default {}.", duration, "60s"),
  max_restarts: defaulted(
    "More restarts than this within the window, or in a row without a run as long as reset_after, are a crash loop: state error. Default {}.",
    integer(0, 1_000_000),
    10,
  ),
  window: defaulted("Time window for max_restarts. Default {}.", positiveDuration, "5m"),
  reset_after: defaulted("A run that lasts this long resets the delay. Default {}.", duration, "60s"),
  stable_after: defaulted(
    "After a failure the process is shown as restarting until a run has lasted this long. Default {}.",
    duration,
    "10s",
  ),
};
export const RESTART = defaultsOf(restart);

function checkRestart(values: ReadonlyMap<string, unknown>, report: (finding: Finding) => void): void {
  const delay = parseDuration(values.get("delay"));
  const longest = parseDuration(values.get("max_delay"));
  if (delay !== undefined && longest !== undefined && longest < delay) report({ path: ["max_delay"], message: "is shorter than 'delay'" });
}

const stop = {
  signal: defaulted("Signal that asks the process to end. Default {}.", signal, "SIGTERM"),
  command: described("A command that ends the process, instead of a signal. It runs in the process's folder and environment.", command),
  send: described(
    'Text to type into the terminal, instead of a signal: "\\x03" is Ctrl-C.',
    text('text to type, such as "\\x03" for Ctrl-C'),
  ),
  timeout: defaulted("Time-out, after which the rest of its process tree is killed. Default {}.", duration, "10s"),
};
export const STOP = defaultsOf(stop);

function checkStop(values: ReadonlyMap<string, unknown>, report: (finding: Finding) => void): void {
  const ways = ["signal", "command", "send"].filter((key) => values.has(key));
  if (ways.length > 1) report({ path: [], message: `has ${ways.map((key) => `'${key}'`).join(" and ")}; use one of them`, at: "key" });
  const problem = commandProblem(values.get("command"), false);
  if (problem !== null) report({ path: ["command"], message: problem });
}

const dependency = section({
  condition: defaulted(
    `What to wait for. Default {}; a process without a ready condition is ready when started.${CONDITIONS_TEXT}`,
    choice(...DEPENDENCY_CONDITIONS),
    "ready",
  ),
  on_stop: defaulted(
    "What happens to this process when the other one is stopped by request: it is stopped first, and stays stopped (stop, the default) or starts again when the other one is started (restart); or it runs on (keep).",
    choice("stop", "restart", "keep"),
    "stop",
  ),
});
export type DependencySettings = z.output<typeof dependency>;

const dependsOn = listOr(
  listOf("process names", text("the name of a process"), { uniqueItems: true }).transform(
    (names): ReadonlyMap<string, DependencySettings> => new Map(names.map((name) => [name, dependency.parse({})])),
  ),
  namedMap("a list of process names, or a mapping from them to {condition, on_stop}", dependency, () => null),
);

const limits = layer(
  Object.fromEntries(
    LIMIT_NAMES.map((name) => [name, described(`RLIMIT_${name.toUpperCase()} of setrlimit(2), soft and hard.`, resourceLimit)]),
  ) as Record<LimitName, ReturnType<typeof described<typeof resourceLimit>>>,
);

const scheduling = layer(
  {
    policy: described("Scheduling policy of Linux.", choice(...(Object.keys(POLICIES) as Policy[]))),
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
    max_size: defaulted("Size at which the file is rotated. Default {}.", logFileSize, "10MiB"),
    max_files: defaulted("Number of files that are kept, including the current one. Default {}.", integer(1, 1_000), 5),
    mode: described('Mode of new files, in quotes. Default "0600": only the owner can read them.', fileMode),
  },
  { allowed: "the path of a file, or a mapping with the keys path, max_size, max_files, mode" },
);

/** One value, or a list of values. */
function oneOrMore<Value extends z.ZodType>(what: string, value: Value) {
  return listOr(listOf(what, value), value);
}

const shared = {
  cwd: defaulted("Working directory, relative to the folder of this file. Default: that folder.", path("the path of a folder"), "."),
  environment: described(
    "Environment variables of the process, merged with those of its templates and of 'defaults'.",
    namedMap("a mapping from names to values", environmentValue, variableProblem),
  ),
  pass_environment: defaulted(
    "Variables to inherit in addition to the standard ones; a '*' at the end matches the rest of a name.",
    listOf("variable names", passedName),
    [],
  ),
  env_file: described(
    "Files of NAME=value lines, relative to the folder of this file; later files override earlier ones, 'environment' overrides all.",
    oneOrMore("paths", path("the path of a file")),
  ),
  shell: defaulted("Run commands given as strings through /bin/sh -c even without shell syntax. Default {}.", flag, false),
  user: orNull("Name or number of the user to run as. Default: that of the daemon.", user),
  umask: orNull('Octal, in quotes: "022".', umask),
  limits: described("Resource limits, soft and hard.", limits),
  scheduling: described("How the kernel schedules the process.", scheduling),
  terminal: described("The process's terminal.", layer(terminal)),
  ready_timeout: defaulted("How long a process may take to become ready. Default {}.", durationOrNone, "none"),
  restart: described("Restart policy, for a process that ends without a stop request.", layer(restart, { check: checkRestart })),
  stop: described("How the process is stopped.", layer(stop, { check: checkStop })),
  success_exit_codes: defaulted("Exit codes that mean success. Default {}.", listOf("exit codes", integer(0, 255)), [0]),
  autostart: defaulted("Start with the manager. Default {}.", flag, false),
  essential: defaulted("A failure of this process ends 'mgr up' with its exit code. Default {}.", flag, false),
  confirm: defaulted("The page asks before it stops or restarts this process, as it does for an essential one. Default {}.", flag, false),
  watch: described(
    "Restart when a matching file changes: globs, relative to the folder of this file.",
    oneOrMore("globs", path("a glob such as src/**/*.js")),
  ),
  log_file: orNull(
    "File to which all output is written, rotated by size.",
    listOr(
      path("the path of a file, or a mapping with the keys path, max_size, max_files, mode").transform((path) => logFile.parse({ path })),
      logFile,
      (value) => typeof value !== "object" || value === null || value instanceof Expanded,
    ),
  ),
  output_on_disk: defaulted(
    "Keep the newest output (8 MiB) on disk, so that it can still be read after the host was restarted. Default {}: it is kept until the host goes down.",
    flag,
    false,
  ),
  start_tool: orNull("Start tool to use: a value of 'instance.start_tools', or none.", text("the value of a start tool, or none")),
  ...SHARED_KEYS,
};

const processKeys = {
  command: described(
    "A string is split into words and executed directly; with shell syntax it goes through /bin/sh -c. A list of words is always executed directly.",
    command,
  ),
  extends: described(
    "Templates to merge; later ones override earlier ones.",
    oneOrMore("names of templates", text("the name of a template")),
  ),
  node: defaulted(
    "Where the process runs: a name of 'nodes' or 'hosts'. Default {}, the manager's own host.",
    text("the name of a node"),
    "localhost",
  ),
  alternate_commands: described(
    "Alternative commands by label, selectable at run time.",
    namedMap("a mapping from labels to commands", command, labelProblem),
  ),
  ready: orNull("When the process counts as ready: after an output line, a time, or when a probe succeeds.", ready),
  alive: orNull("A probe that must keep succeeding while the process is ready; otherwise the process is stopped as failed.", alive),
  ...PROCESS_KEYS,
  depends_on: described(
    "Processes that must be ready, started or completed before this one starts: a list of names, or a mapping with conditions.",
    dependsOn,
  ),
  ...shared,
};

export const processSection = layer(processKeys, {
  allowed: "a mapping with at least the key command",
  json: { anyOf: [{ required: ["command"] }, { required: ["extends"] }] },
  check: checkProcess,
});
export const templateSection = layer(processKeys, { check: checkCommands });
export const defaultsSection = layer(shared);

export type ProcessKeys = z.output<z.ZodObject<typeof processKeys>>;
/** A process of the file, a template, or the defaults of all processes. */
export type ProcessSection = z.output<typeof processSection>;

/** Values of a process's keys that are in no section. */
export const PROCESS_DEFAULTS: ProcessKeys = defaultsOf(processKeys);

function labelProblem(label: string): string | null {
  if (label === "default") return "is reserved: it selects 'command'";
  if (label === "" || label.length > 64) return "must have 1 to 64 characters";
  return /\p{C}/u.test(label) ? "has a non-printable character" : null;
}

/** A command may only be missing if a template can supply it. */
function checkProcess(values: ReadonlyMap<string, unknown>, report: (finding: Finding) => void): void {
  if (!values.has("command") && !values.has("extends"))
    report({ path: ["command"], message: "is missing; it must be a command: a string, or a list of words", at: "key" });
  checkCommands(values, report);
}

/** Checks the commands of a section without templates; others are checked when they are merged. */
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
