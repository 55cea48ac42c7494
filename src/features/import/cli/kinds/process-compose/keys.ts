import { always, applyRules, Conversion, carry, drop, type KeyEntry, type Rules } from "../../model/conversion.ts";
import type { Draft } from "../../model/draft.ts";
import { UnfitValue } from "../../model/failure.ts";
import type { Result } from "../../model/result.ts";
import { asList, asMap, type Tree } from "../../model/tree.ts";
import { flag, integer, number, type Paths, seconds, signal, spanText, text, textNow, texts, variables } from "../../model/values.ts";
import { commandOf } from "../../text/words.ts";
import { convertProbe } from "./probes.ts";

/** More restarts than anyone waits for: process-compose has no limit unless one is given. */
const NO_LIMIT = 1_000_000;
/** Syntax that bash has and sh does not. */
const BASH_ONLY = /\[\[|<\(|>\(|<<<|\bpipefail\b|\bsource\s|\bdeclare\s|\w+=\(|\{\w+\.\.\w+\}|&>/;

interface Shell {
  readonly command: string;
  readonly argument: string;
}

/** The conversion of one process. */
export class ProcessConversion extends Conversion {
  readonly paths: Paths;
  /** The file's shell; null: bash, the default. */
  readonly shell: Shell | null;
  /** Files of variables for every process. */
  readonly envFiles: readonly string[];

  constructor(
    place: { result: Result; draft: Draft; section: ReadonlyMap<string, Tree> },
    file: Pick<ProcessConversion, "paths" | "shell" | "envFiles">,
  ) {
    super(place.result, place.draft, place.section);
    this.paths = file.paths;
    this.shell = file.shell;
    this.envFiles = file.envFiles;
  }
}

const CONDITIONS: Readonly<Record<string, "started" | "ready" | "completed">> = {
  process_started: "started",
  process_healthy: "ready",
  process_log_ready: "ready",
  process_completed: "completed",
  process_completed_successfully: "completed",
};

const availability: Rules<Conversion> = {
  restart: (entry, context) => {
    const policies: Readonly<Record<string, string>> = {
      no: "never",
      never: "never",
      false: "never",
      always: "always",
      unless_stopped: "always",
      on_failure: "on-failure",
      exit_on_failure: "never",
    };
    const written = text(entry.tree);
    const policy = policies[written.replaceAll("-", "_")];
    if (policy === undefined) throw new UnfitValue(`'${written}' is not a restart policy`);
    context.draft.set("restart.policy", policy);
    context.carried(entry, "restart.policy");
    if (written === "exit_on_failure") {
      context.draft.set("essential", true);
      context.carried(entry, "essential");
    } else if (policy !== "never" && !context.draft.get("restart.max_restarts")) context.draft.set("restart.max_restarts", NO_LIMIT);
  },
  backoff_seconds: (entry, context) => {
    context.draft.set("restart.delay", seconds(entry.tree));
    context.draft.set("restart.factor", 1);
    context.carried(entry, "restart.delay");
  },
  max_restarts: (entry, context) => {
    context.draft.set("restart.max_restarts", integer(entry.tree) === 0 ? NO_LIMIT : integer(entry.tree));
    context.carried(entry, "restart.max_restarts");
  },
  exit_on_end: drop("the end of a process does not end the others", "run it with: mgr up --exit-with NAME"),
  exit_on_skipped: drop("a process that was not started does not end the others"),
};

const shutdown: Rules<Conversion> = {
  command: carry("stop.command", text),
  signal: (entry, context) => {
    if (context.draft.get("stop.command") !== undefined) return context.dropped(entry, "a stop has a command or a signal, not both");
    context.draft.set("stop.signal", signal(entry.tree));
    context.carried(entry, "stop.signal");
  },
  timeout_seconds: carry("stop.timeout", seconds),
  parent_only: (entry, context) => {
    if (flag(entry.tree)) context.dropped(entry, "a stop always reaches the whole process tree");
  },
};

const schedule: Rules<Conversion> = {
  cron: carry("schedule.cron", text),
  timezone: (entry, context) => {
    if (context.draft.get("schedule.cron") === undefined) return context.dropped(entry, "the schedule has no cron expression");
    context.draft.set("schedule.timezone", text(entry.tree));
    context.carried(entry, "schedule.timezone");
  },
  interval: (entry, context) => {
    if (context.draft.get("schedule.cron") !== undefined) return context.dropped(entry, "'cron' is used instead");
    context.draft.set("schedule.every", spanText(entry.tree));
    context.carried(entry, "schedule.every");
  },
  run_on_start: (entry, context) => {
    context.draft.set("autostart", flag(entry.tree));
    context.carried(entry, "autostart");
  },
  max_concurrent: (entry, context) => {
    if (integer(entry.tree) > 1)
      context.dropped(entry, "a process runs once at a time; a run that is due meanwhile is left out", "schedule.overlap");
    else context.carried(entry, "schedule.overlap");
  },
};

const logging: Rules<ProcessConversion> = {
  rotation: (entry, context) =>
    applyRules(
      entry.tree,
      {
        max_size_mb: carry("log_file.max_size", (tree) => `${integer(tree)}MiB`),
        // The current file counts here.
        max_backups: carry("log_file.max_files", (tree) => integer(tree) + 1),
        max_age_days: drop("log files are rotated by size only"),
        compress: drop("rotated log files are not compressed"),
        directory: drop("the log file is in the folder of 'log_file.path'"),
        filename: drop("the log file has the name in 'log_file.path'"),
      },
      context,
      { path: entry.key },
    ),
};
const format = drop("log files have the output as it is; mgr adds nothing to a line");

/** Rules of the keys of a process. */
export const PROCESS_RULES: Rules<ProcessConversion> = {
  command: (entry, context) => {
    if (context.section.has("entrypoint")) return context.dropped(entry, "'entrypoint' is used instead");
    const written = text(entry.tree);
    const { command, argument } = context.shell ?? { command: BASH_ONLY.test(written) ? "bash" : "sh", argument: "-c" };
    if (/(^|\/)(sh|dash)$/.test(command)) {
      context.draft.set("command", written);
      if (context.shell !== null) context.draft.set("shell", true);
    } else if (context.shell !== null || command === "bash") context.draft.set("command", commandOf([command, argument, written]));
    context.carried(entry, "command");
  },
  entrypoint: carry("command", (tree) => commandOf(texts(tree))),
  working_dir: (entry, context) => {
    context.draft.set("cwd", context.paths.of(entry.tree));
    context.carried(entry, "cwd");
  },
  environment: (entry, context) => {
    for (const { name, value } of variables(entry.tree)) context.draft.variable(name, value ?? "");
    context.carried(entry, "environment");
  },
  env_file: (entry, context) => {
    const files = Array.isArray(entry.tree.value) ? asList(entry.tree) : [entry.tree];
    context.draft.set("env_file", [...context.envFiles, ...files.map((file) => context.paths.of(file))]);
    context.carried(entry, "env_file");
  },
  availability: (entry, context) => applyRules(entry.tree, availability, context, { path: entry.key }),
  depends_on: (entry, context) => {
    for (const [on, how] of asMap(entry.tree)) {
      const written = asMap(how).get("condition");
      const condition = written === undefined ? "started" : CONDITIONS[text(written)];
      const dependency = { key: `${entry.key}.${on}`, place: how.place };
      if (condition === undefined) context.dropped(dependency, `'${written === undefined ? "" : text(written)}' is not a condition`);
      else {
        const isAnyEnd = written !== undefined && text(written) === "process_completed";
        const why = "a process that ends with a failure is not 'completed'; process_completed also accepts that";
        context.draft.dependencies.push({ entry: dependency, on, condition, onStop: "keep", guess: isAnyEnd ? why : null });
      }
    }
  },
  readiness_probe: (entry, context) => convertProbe("ready", entry, context),
  liveness_probe: (entry, context) => convertProbe("alive", entry, context),
  ready_log_line: (entry, context) => {
    const line = text(entry.tree);
    context.draft.set("ready", new Map([["regex", line.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&")]]));
    context.carried(entry, "ready.regex");
  },
  shutdown: (entry, context) => applyRules(entry.tree, shutdown, context, { path: entry.key }),
  log_location: (entry, context) => {
    context.draft.set("log_file.path", context.paths.of(entry.tree));
    context.carried(entry, "log_file.path");
  },
  log_configuration: (entry, context) => {
    if (!context.section.has("log_location")) return context.dropped(entry, "the process has no log file", "set log_file");
    applyRules(entry.tree, logging, context, { path: entry.key, fallback: format });
  },
  disabled: (entry, context) => {
    context.draft.set("autostart", !flag(entry.tree));
    context.carried(entry, "autostart");
  },
  description: (entry, context) => {
    context.draft.remarks.push(text(entry.tree));
    context.carried(entry, "a comment");
  },
  is_tty: always("each process has a terminal"),
  is_interactive: always("each process has a terminal"),
  is_foreground: drop("each process has a terminal of its own", "mgr attach NAME"),
  is_daemon: (entry, context) => {
    if (flag(entry.tree))
      context.guessed(entry, "command", "the process is expected to stay in the foreground; remove the option that makes it a daemon");
  },
  launch_timeout_seconds: (entry, context) => {
    if (context.section.has("is_daemon")) return context.dropped(entry, "processes stay in the foreground here");
    context.draft.set("ready_timeout", seconds(entry.tree));
    context.carried(entry, "ready_timeout");
  },
  is_elevated: (entry, context) => {
    if (!flag(entry.tree)) return;
    context.draft.set("user", "root");
    context.guessed(entry, "user", "it needs a manager that runs as root");
  },
  is_dotenv_disabled: (entry, context) => {
    if (!flag(entry.tree)) return;
    context.draft.set("env_file", []);
    context.carried(entry, "env_file");
  },
  disable_ansi_colors: (entry, context) => {
    if (!flag(entry.tree)) return;
    context.draft.variable("NO_COLOR", "1");
    context.guessed(entry, "environment", "programs that follow no-color.org print no colours");
  },
  // They are read before the others.
  namespace: always("the group in the name"),
  replicas: always("one process for each"),
  vars: always("the values in the texts"),
  success_exit_codes: carry("success_exit_codes", (tree) => asList(tree).map(integer)),
  watch: (entry, context) => {
    const paths = asMap(entry.tree).get("paths");
    for (const item of paths === undefined ? [] : asList(paths)) {
      const path = asMap(item).get("path") ?? item;
      context.draft.add("watch", `${context.paths.of(path)}/**`);
    }
    context.guessed(entry, "watch", "every file below these folders counts; filters and other settings are not carried over");
  },
  mcp: drop("a process is no tool for agents"),
  schedule: (entry, context) => {
    // It is started at its times only.
    context.draft.set("autostart", false);
    applyRules(entry.tree, schedule, context, { path: entry.key });
  },
  is_template_disabled: always("texts as they are"),
};

/** Number of copies of a process. */
export function replicasOf(entry: KeyEntry | undefined): number {
  if (entry === undefined) return 1;
  const copies = number(entry.tree);
  if (!Number.isInteger(copies) || copies < 0) throw new UnfitValue(`'${textNow(entry.tree)}' is not a number of copies`);
  return copies;
}
