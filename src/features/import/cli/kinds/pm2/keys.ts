import { availableParallelism } from "node:os";
import { extname } from "node:path";
import { quoteWords } from "../../../../../base/text/shell-words.ts";
import { always, Conversion, drop, guess, type KeyEntry, type Rule, type Rules } from "../../model/conversion.ts";
import type { Draft } from "../../model/draft.ts";
import { UnfitValue } from "../../model/failure.ts";
import type { Result } from "../../model/result.ts";
import { asList, asMap, type Tree } from "../../model/tree.ts";
import { duration, flag, integer, milliseconds, number, type Paths, size, span, text, texts, variables } from "../../model/values.ts";
import { commandOf, splitWords } from "../../text/words.ts";

/** The conversion of one app. */
export class AppConversion extends Conversion {
  readonly paths: Paths;

  constructor(place: { result: Result; draft: Draft; section: ReadonlyMap<string, Tree> }, paths: Paths) {
    super(place.result, place.draft, place.section);
    this.paths = paths;
  }
}

/** Programs that run a script, by the end of its name, as pm2 chooses them. */
const INTERPRETERS: Readonly<Record<string, string>> = {
  ".js": "node",
  ".cjs": "node",
  ".mjs": "node",
  ".json": "node",
  ".py": "python3",
  ".sh": "bash",
  ".rb": "ruby",
  ".php": "php",
  ".pl": "perl",
  ".ts": "bun",
  ".tsx": "bun",
};

const wordsOf = (tree: Tree | undefined): string[] =>
  tree === undefined || tree.value === null ? [] : Array.isArray(tree.value) ? texts(tree) : splitWords(text(tree));

const first = (section: ReadonlyMap<string, Tree>, ...names: string[]): Tree | undefined =>
  names.map((name) => section.get(name)).find((tree) => tree !== undefined);

const script: Rule<AppConversion> = (entry, context) => {
  const { section } = context;
  const path = text(entry.tree);
  const named = first(section, "interpreter", "exec_interpreter");
  const interpreter = named === undefined ? INTERPRETERS[extname(path)] : text(named) === "none" ? undefined : text(named);
  const options = wordsOf(first(section, "interpreter_args", "interpreterArgs", "node_args"));
  const args = wordsOf(section.get("args"));
  // A command line with blanks runs in bash.
  if (interpreter === undefined && /\s/.test(path))
    context.draft.set("command", [path, quoteWords(args)].filter((part) => part !== "").join(" "));
  else context.draft.set("command", commandOf([...(interpreter === undefined ? [] : [interpreter, ...options]), path, ...args]));
  context.carried(entry, "command");
};

const partOfCommand: Rule<AppConversion> = always("command");

const exitFile: Rule<AppConversion> = (entry, context) => {
  const path = text(entry.tree);
  const isOnly = context.draft.get("log_file.path") === undefined;
  if (/^(\/dev\/null|NULL)$/.test(path)) return context.dropped(entry, "mgr keeps the output itself (mgr logs)");
  if (!isOnly) return context.dropped(entry, "stdout and stderr are output of one terminal, and in one log file");
  context.draft.set("log_file.path", context.paths.moved(path));
  if (entry.name === "log_file" || entry.name === "log") context.carried(entry, "log_file.path");
  else context.guessed(entry, "log_file", "it has the output of stdout and stderr");
};

/** Restarts the app at these times, whether it runs or not. */
const cronRestart: Rule<AppConversion> = (entry, context) => {
  // pm2 turns it off so.
  if (/^(0|false)?$/.test(text(entry.tree))) return;
  context.draft.set("schedule.cron", text(entry.tree));
  context.draft.set("schedule.overlap", "kill");
  if (context.draft.get("restart.policy") !== "always") return context.carried(entry, "schedule");
  context.draft.set("restart.policy", "on-failure");
  context.guessed(entry, "schedule", "between these times, it is restarted after a failure only, and not after an end with exit code 0");
};

const restart: Rules<AppConversion> = {
  autorestart: (entry, context) => {
    context.draft.set("restart.policy", flag(entry.tree) ? "always" : "never");
    context.carried(entry, "restart.policy");
  },
  max_restarts: (entry, context) => {
    context.draft.set("restart.max_restarts", integer(entry.tree));
    context.carried(entry, "restart.max_restarts");
  },
  min_uptime: (entry, context) => {
    const written = text(entry.tree);
    context.draft.set("restart.reset_after", /^\d+$/.test(written) ? duration(Number(written)) : duration(span(entry.tree)));
    context.carried(entry, "restart.reset_after");
  },
  restart_delay: (entry, context) => {
    context.draft.set("restart.delay", milliseconds(entry.tree));
    context.draft.set("restart.factor", 1);
    context.carried(entry, "restart.delay");
  },
  exp_backoff_restart_delay: (entry, context) => {
    context.draft.set("restart.delay", milliseconds(entry.tree));
    context.draft.set("restart.factor", 1.5);
    context.draft.set("restart.max_delay", duration(Math.max(15_000, number(entry.tree))));
    context.carried(entry, "restart.delay");
  },
  stop_exit_codes: (entry, context) => {
    const codes = Array.isArray(entry.tree.value) ? asList(entry.tree).map(integer) : [integer(entry.tree)];
    context.draft.set("success_exit_codes", [...new Set([0, ...codes])]);
    context.draft.set("restart.policy", "on-failure");
    context.guessed(entry, "success_exit_codes", "the process is not restarted with exit code 0 either");
  },
};

const environment: Rule<AppConversion> = (entry, context) => {
  for (const { name, value } of variables(entry.tree)) context.draft.variable(name, value ?? "");
  context.carried(entry, "environment");
};

/** `max`, zero and less are relative to the number of processors, which may be another one where the configuration is used. */
const instances: Rule<AppConversion> = (entry, context) => {
  if (/^[1-9]/.test(text(entry.tree))) context.carried(entry, "one process for each");
  else context.guessed(entry, "", "as many copies as pm2 would start on this machine, by its number of processors");
};

const path =
  (to: string): Rule<AppConversion> =>
  (entry, context) => {
    context.draft.set(to, context.paths.of(entry.tree));
    context.carried(entry, to);
  };

/** Rules of the keys of an app. */
export const APP_RULES: Rules<AppConversion> = {
  script,
  cwd: path("cwd"),
  env: environment,
  ...restart,
  log_file: exitFile,
  log: exitFile,
  out_file: exitFile,
  output: exitFile,
  error_file: exitFile,
  error: exitFile,
  args: partOfCommand,
  interpreter: partOfCommand,
  exec_interpreter: partOfCommand,
  interpreter_args: partOfCommand,
  interpreterArgs: partOfCommand,
  node_args: partOfCommand,
  name: always("the name of the process"),
  namespace: always("the group in the name"),
  instances,
  increment_var: always("the environment of each process"),
  instance_var: always("the environment of each process"),
  kill_timeout: (entry, context) => {
    context.draft.set("stop.timeout", milliseconds(entry.tree));
    context.carried(entry, "stop.timeout");
  },
  max_memory_restart: (entry, context) => {
    context.draft.set("limits_act", [
      new Map([
        ["memory", size(entry.tree)],
        ["then", "restart"],
      ]),
    ]);
    context.carried(entry, "limits_act");
  },
  autostart: (entry, context) => {
    context.draft.set("autostart", flag(entry.tree));
    context.carried(entry, "autostart");
  },
  watch: (entry, context) => {
    if (!Array.isArray(entry.tree.value) && /^(true|false)$/.test(text(entry.tree))) {
      if (!flag(entry.tree)) return;
      context.draft.set("watch", [context.paths.moved("**/*.{js,cjs,mjs,ts,json,py}")]);
      return context.guessed(entry, "watch", "sources below the folder; pm2 watches each file, also those that the program writes");
    }
    context.draft.set(
      "watch",
      texts(entry.tree).map((each) => context.paths.moved(/[*?{[]|\.\w+$/.test(each) ? each : `${each}/**`)),
    );
    context.carried(entry, "watch");
  },
  user: guess("user", text, "the manager must run as root"),
  uid: guess("user", text, "the manager must run as root"),
  exec_mode: (entry, context) => {
    if (text(entry.tree).startsWith("cluster"))
      context.dropped(
        entry,
        "there is no cluster mode: each copy opens its own port",
        "a port for each copy, behind a load balancer, or node:cluster in the program",
      );
  },
  wait_ready: drop("the message 'ready' of process.send() is not received", "ready: {regex: …} or {http: …}"),
  listen_timeout: drop("there is no signal of readiness without a ready condition", "ready_timeout, with ready"),
  cron_restart: (entry, context) => cronRestart(entry, context),
  cron: (entry, context) => cronRestart(entry, context),
  ignore_watch: drop("'watch' has no exceptions", "name the files in 'watch' more exactly"),
  watch_delay: drop("changes are put together for a moment already"),
  gid: drop("a process has the groups of its user"),
  log_date_format: drop("log files have the output as it is", "mgr logs --timestamps"),
  time: drop("log files have the output as it is", "mgr logs --timestamps"),
  log_type: drop("log files have the output as it is"),
  merge_logs: drop("copies have log files of their own"),
  combine_logs: drop("copies have log files of their own"),
  pid_file: drop("mgr needs no pid files"),
  pid: drop("mgr needs no pid files"),
  source_map_support: drop("the program decides", "node --enable-source-maps"),
  filter_env: drop("a process inherits only a few variables", "pass_environment names others"),
  treekill: always("a stop reaches the whole process tree"),
  force: drop("names are unique here"),
  vizion: drop("there are no figures of version control"),
  post_update: drop("mgr does not update programs"),
  shutdown_with_message: drop("a stop is a signal", "stop.signal, stop.command or stop.send"),
};

/** Number of copies that pm2 would start. */
export function instancesOf(tree: Tree | undefined): number {
  if (tree === undefined) return 1;
  const written = text(tree);
  const wanted = written === "max" ? 0 : integer(tree);
  // Zero and less are relative to the number of processors.
  return wanted > 0 ? wanted : Math.max(1, availableParallelism() + wanted);
}

/** Whether copies run, one or more. */
export function isMultiplied(section: ReadonlyMap<string, Tree>): boolean {
  const instances = section.get("instances");
  return instances !== undefined && text(instances) !== "1";
}

/** Variables that differ between copies. */
export function setCopyVariables(draft: Draft, index: number, section: ReadonlyMap<string, Tree>): void {
  const counter = section.get("instance_var");
  draft.variable(counter === undefined ? "NODE_APP_INSTANCE" : text(counter), String(index));
  const increment = section.get("increment_var");
  if (increment === undefined) return;
  const name = text(increment);
  const start = asMap(section.get("env") ?? { place: increment.place, value: null }).get(name);
  if (start === undefined) throw new UnfitValue(`names '${name}', which is not in 'env'`);
  draft.variable(name, String(integer(start) + index));
}

/** The rule for keys without one of their own: `env_NAME` are environments of which one is chosen at the start. */
export const otherKey = (entry: KeyEntry, context: AppConversion): void => {
  if (/^env_./.test(entry.name))
    context.dropped(entry, "there is one environment", `copy its variables to 'environment', or put them into a file for env_file`);
  else context.dropped(entry, "this key is not known to mgr import", "see docs/config-keys.md for what mgr has");
};
