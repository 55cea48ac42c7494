import { always, Conversion, drop, type Rule, type Rules } from "../../model/conversion.ts";
import type { Draft } from "../../model/draft.ts";
import { UnfitValue } from "../../model/failure.ts";
import type { Result } from "../../model/result.ts";
import type { Tree } from "../../model/tree.ts";
import { bytes, duration, flag, integer, number, type Paths, signal, size, text } from "../../model/values.ts";
import { commandOf, splitWords } from "../../text/words.ts";
import { environmentPairs } from "./environment.ts";

/** The file that options of a program refer to. */
export interface Environment {
  readonly paths: Paths;
  /** Replaces %(name)s in a value. */
  readonly expand: (text: string) => string;
}

/** The conversion of one program. */
export class ProgramConversion extends Conversion {
  readonly environment: Environment;

  constructor(place: { result: Result; draft: Draft; section: ReadonlyMap<string, Tree> }, environment: Environment) {
    super(place.result, place.draft, place.section);
    this.environment = environment;
  }

  expanded(tree: Tree): string {
    return this.environment.expand(text(tree));
  }
}

/** Adds the variables of `environment=`. */
export const environment: Rule<ProgramConversion> = (entry, context) => {
  for (const [name, value] of environmentPairs(context.expanded(entry.tree))) context.draft.variable(name, value);
  context.carried(entry, "environment");
};

export const umask: Rule<ProgramConversion> = (entry, context) => {
  context.draft.set("umask", text(entry.tree).replace(/^0o?/, "").padStart(3, "0"));
  context.carried(entry, "umask");
};

const RESTARTS: Readonly<Record<string, string>> = { unexpected: "on-failure", true: "always", false: "never" };
/** supervisord's own defaults. */
const START_SECONDS = 1;
const START_RETRIES = 3;

/** The restart policy: supervisord restarts without a limit, but gives up a program that did not stay up for `startsecs` too often. */
export function setRestart(context: ProgramConversion): void {
  const { draft, section } = context;
  const written = section.get("autorestart");
  const policy =
    written === undefined ? "on-failure" : (RESTARTS[context.expanded(written).toLowerCase()] ?? (flag(written) ? "always" : "never"));
  draft.set("restart.policy", policy);
  if (policy === "never") return;
  const up = numberOf(section.get("startsecs"), START_SECONDS);
  const retries = numberOf(section.get("startretries"), START_RETRIES);
  draft.set("restart.max_restarts", retries);
  draft.set("restart.reset_after", duration(up * 1_000));
  // Runs that stayed up long enough cannot be that many in this time.
  draft.set("restart.window", duration(Math.max(1, up * retries) * 1_000));
}

function numberOf(tree: Tree | undefined, fallback: number): number {
  return tree === undefined ? fallback : number(tree);
}

const logFile: Rule<ProgramConversion> = (entry, context) => {
  const path = context.expanded(entry.tree);
  if (/^(auto|none|syslog)$/i.test(path)) return context.dropped(entry, "mgr keeps the output itself (mgr logs)");
  // A device is no file that could be rotated.
  if (path.startsWith("/dev/")) return context.dropped(entry, "the output is on the terminal of the process (mgr logs)");
  context.draft.set("log_file.path", context.environment.paths.moved(path));
  context.carried(entry, "log_file.path");
};

const outputLog: Rules<ProgramConversion> = {
  stdout_logfile: logFile,
  stdout_logfile_maxbytes: (entry, context) => {
    if (context.draft.get("log_file.path") === undefined) return context.dropped(entry, "the process has no log file");
    if (bytes(entry.tree) === 0) return context.dropped(entry, "log files are always rotated", "set log_file.max_size");
    context.draft.set("log_file.max_size", size(entry.tree));
    context.carried(entry, "log_file.max_size");
  },
  stdout_logfile_backups: (entry, context) => {
    if (context.draft.get("log_file.path") === undefined) return context.dropped(entry, "the process has no log file");
    // The current file counts here.
    context.draft.set("log_file.max_files", integer(entry.tree) + 1);
    context.carried(entry, "log_file.max_files");
  },
  redirect_stderr: (entry, context) => {
    if (flag(entry.tree)) context.carried(entry, "both are output of one terminal");
    else context.dropped(entry, "stdout and stderr are output of one terminal, and in one log file");
  },
  stderr_logfile: (entry, context) => {
    if (/^(auto|none|syslog|\/dev\/.*)$/i.test(context.expanded(entry.tree)))
      return context.dropped(entry, "mgr keeps the output itself (mgr logs)");
    if (context.section.has("stdout_logfile")) return context.dropped(entry, "stderr is in the same log file as stdout");
    logFile(entry, context);
  },
};

const restart: Rule<ProgramConversion> = (entry, context) => {
  if (context.draft.get("restart.policy") === "never" && entry.name !== "autorestart")
    return context.dropped(
      entry,
      "a process that is not restarted is not started again when it fails early",
      "set restart.policy: on-failure",
    );
  context.carried(entry, "restart");
};

/** Rules of the options of a program. */
export const PROGRAM_RULES: Rules<ProgramConversion> = {
  command: (entry, context) => {
    context.draft.set("command", commandOf(splitWords(context.expanded(entry.tree))));
    context.carried(entry, "command");
  },
  directory: (entry, context) => {
    context.draft.set("cwd", context.environment.paths.moved(context.expanded(entry.tree)));
    context.carried(entry, "cwd");
  },
  environment,
  user: (entry, context) => {
    context.draft.set("user", context.expanded(entry.tree));
    context.carried(entry, "user");
  },
  umask,
  autostart: (entry, context) => {
    context.draft.set("autostart", flag(entry.tree));
    context.carried(entry, "autostart");
  },
  autorestart: restart,
  startsecs: (entry, context) => {
    if (number(entry.tree) > 0) context.draft.set("ready.time", duration(number(entry.tree) * 1_000));
    context.carried(entry, "ready.time");
  },
  startretries: restart,
  exitcodes: (entry, context) => {
    const codes = context
      .expanded(entry.tree)
      .split(",")
      .filter((code) => code.trim() !== "");
    if (codes.some((code) => !/^\s*\d+\s*$/.test(code))) throw new UnfitValue("has codes that are no numbers");
    context.draft.set("success_exit_codes", codes.map(Number));
    context.carried(entry, "success_exit_codes");
  },
  stopsignal: (entry, context) => {
    context.draft.set("stop.signal", signal(entry.tree));
    context.carried(entry, "stop.signal");
  },
  stopwaitsecs: (entry, context) => {
    context.draft.set("stop.timeout", duration(number(entry.tree) * 1_000));
    context.carried(entry, "stop.timeout");
  },
  stopasgroup: always("a stop reaches the whole process tree"),
  killasgroup: always("a stop reaches the whole process tree"),
  ...outputLog,
  process_name: always("the name of the process"),
  numprocs: always("one process for each"),
  numprocs_start: always("the names of the processes"),
  priority: drop("there are no priorities: all processes start at once", "depends_on, which also waits until the other one is ready"),
  serverurl: drop("programs do not talk to the supervisor over XML-RPC", "mgr/client, or the protocol on the one port"),
  stderr_logfile_maxbytes: drop("stderr is in the log file of the process"),
  stderr_logfile_backups: drop("stderr is in the log file of the process"),
};
/** Options of which no program needs a counterpart. */
export const UNNEEDED = /^(stdout|stderr)_(capture_maxbytes|events_enabled|syslog)$/;
