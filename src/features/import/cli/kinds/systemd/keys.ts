import { existsSync } from "node:fs";
import { resolve } from "node:path";
import { LIMIT_NAMES } from "../../../../../contract/run-settings.ts";
import { always, type Conversion, carry, drop, guess, type Rule, type Rules } from "../../model/conversion.ts";
import { UnfitValue } from "../../model/failure.ts";
import { asList, type Tree } from "../../model/tree.ts";
import { bytes, duration, flag, integer, signal, size, span, spanText, text } from "../../model/values.ts";
import { execStart, execStartPre, execStop, wordsOf } from "./commands.ts";
import { DEPENDENCY_RULES } from "./dependencies.ts";
import type { ServiceConversion } from "./service.ts";
import { unitWords } from "./words.ts";

/** Restarts of a service whose limit is switched off. */
const NO_LIMIT = 1_000_000;
/** Keys that may be given several times: each adds to those before, and an empty value removes them. */
export const LIST_KEYS =
  /^(Exec\w+|Environment|EnvironmentFile|PassEnvironment|UnsetEnvironment|After|Before|Requires|Requisite|Wants|BindsTo|PartOf|Upholds|WantedBy|RequiredBy|SuccessExitStatus|RestartPreventExitStatus|RestartForceExitStatus|Condition\w+|Assert\w+|Alias|Also|Documentation|OnCalendar)$/;

const POLICIES: Readonly<Record<string, readonly [policy: string, guess: string | null]>> = {
  no: ["never", null],
  always: ["always", null],
  "on-failure": ["on-failure", null],
  "on-success": ["always", "Restart=on-success restarts only after a success"],
  "on-abnormal": ["on-failure", "Restart=on-abnormal does not restart after an exit code"],
  "on-abort": ["on-failure", "Restart=on-abort restarts only after a signal"],
  "on-watchdog": ["on-failure", "Restart=on-watchdog restarts only after the watchdog's time"],
};

/** Values that systemd has where a unit says nothing. */
export function setRestartDefaults(context: ServiceConversion): void {
  if (!isRestarted(context)) return;
  context.draft.set("restart.delay", "100ms");
  context.draft.set("restart.factor", 1);
  context.draft.set("restart.max_restarts", 5);
  context.draft.set("restart.window", "10s");
}

function isRestarted({ section }: ServiceConversion): boolean {
  return String(section.get("Restart")?.value ?? "no") !== "no";
}

const interval: Rule<Conversion> = (entry, context) => {
  if (span(entry.tree) === 0) context.draft.set("restart.max_restarts", NO_LIMIT);
  else context.draft.set("restart.window", spanText(entry.tree));
  context.carried(entry, "restart.window");
};

const burst: Rule<Conversion> = (entry, context) => {
  if (context.draft.get("restart.max_restarts") !== NO_LIMIT) context.draft.set("restart.max_restarts", integer(entry.tree));
  context.carried(entry, "restart.max_restarts");
};

/** Rules of the keys of [Unit]. */
export const UNIT_RULES: Rules<ServiceConversion> = {
  Description: (entry, context) => {
    context.draft.remarks.push(context.specified(text(entry.tree)));
    context.carried(entry, "a comment");
  },
  Documentation: () => {},
  ...DEPENDENCY_RULES,
  Before: drop("an order is given by the process that waits", "depends_on in the other process"),
  StartLimitIntervalSec: interval,
  StartLimitInterval: interval,
  StartLimitBurst: burst,
  StartLimitAction: drop("mgr does not restart the machine"),
  OnFailure: drop("no process is started because another one failed", "notifications (docs/notifications.md)"),
  OnSuccess: drop("no process is started because another one ended", "depends_on with condition: completed"),
  Conflicts: drop("processes do not exclude each other"),
  DefaultDependencies: () => {},
};

/** Rules of the keys of [Install]. */
export const INSTALL_RULES: Rules<ServiceConversion> = {
  WantedBy: (entry, context) => {
    context.draft.set("autostart", true);
    context.carried(entry, "autostart");
  },
  RequiredBy: (entry, context) => {
    context.draft.set("autostart", true);
    context.carried(entry, "autostart");
  },
  Alias: drop("a process has one name"),
  Also: drop("each process starts by its own autostart"),
  DefaultInstance: () => {},
};

const isInfinity = (tree: Tree): boolean => text(tree) === "infinity";

const limit =
  (name: string): Rule<Conversion> =>
  (entry, context) => {
    const [soft = "", hard = soft] = text(entry.tree).split(":");
    const written = { ...entry.tree, value: hard };
    const isSize = /^(AS|CORE|DATA|FSIZE|MEMLOCK|MSGQUEUE|RSS|STACK)$/i.test(name);
    context.draft.set(
      `limits.${name}`,
      hard === "infinity" ? "unlimited" : isSize ? bytes(written) : name === "cpu" ? Math.round(span(written) / 1_000) : integer(written),
    );
    if (soft === hard) context.carried(entry, `limits.${name}`);
    else context.guessed(entry, "limits", `soft and hard limit of ${name} are the same here: the hard one`);
  };

const memory =
  (to: string): Rule<Conversion> =>
  (entry, context) => {
    if (isInfinity(entry.tree)) return;
    if (text(entry.tree).endsWith("%"))
      return context.dropped(entry, "there are no shares of the machine's memory", `${to} with a size such as 2GiB`);
    context.draft.set(to, size(entry.tree));
    context.carried(entry, to);
  };

const logTo: Rule<ServiceConversion> = (entry, context) => {
  const [, path] = /^(?:append|file|truncate):(.+)$/.exec(text(entry.tree)) ?? [];
  if (path === undefined) return context.dropped(entry, "mgr keeps the output itself (mgr logs)");
  if (context.draft.get("log_file.path") !== undefined)
    return context.dropped(entry, "stdout and stderr are output of one terminal, and in one log file");
  context.draft.set("log_file.path", context.environment.paths.moved(context.specified(path)));
  context.guessed(entry, "log_file", "it has the output of stdout and stderr, and is rotated at 10 MiB");
};

/** Rules of the keys of [Service]. */
export const SERVICE_RULES: Rules<ServiceConversion> = {
  Type: (entry, context) => {
    const type = text(entry.tree);
    if (type === "forking") context.guessed(entry, "command", "Type=forking: remove the option that puts the program into the background");
    else if (type.startsWith("notify"))
      context.dropped(entry, "messages of sd_notify are not received", "ready: {regex: …}, {tcp: …} or {http: …}");
    else if (type === "dbus") context.dropped(entry, "names on D-Bus are not awaited", "ready: {exec: …}");
    else context.carried(entry, "command");
  },
  KillSignal: carry("stop.signal", signal),
  TimeoutStopSec: (entry, context) => {
    if (isInfinity(entry.tree)) return context.dropped(entry, "a stop has an end", "stop.timeout");
    context.draft.set("stop.timeout", spanText(entry.tree));
    context.carried(entry, "stop.timeout");
  },
  ExecStart: execStart,
  ExecStartPre: execStartPre,
  ExecStop: execStop,
  ExecStartPost: drop("no command is run after a start", "a process that depends on this one"),
  ExecStopPost: drop("no command is run after a stop"),
  ExecReload: drop("there is no reload of a process", "mgr signal HUP NAME"),
  ExecCondition: drop("a start has no conditions"),
  WorkingDirectory: (entry, context) => {
    const folder = context.specified(text(entry.tree).replace(/^-/, ""));
    context.draft.set("cwd", context.environment.paths.moved(folder === "~" ? context.specified("%h") : folder));
    context.carried(entry, "cwd");
  },
  Environment: (entry, context) => {
    for (const tree of asList(entry.tree))
      for (const word of unitWords(text(tree)).map((each) => context.specified(each))) {
        if (!/^[^=]+=/.test(word)) throw new UnfitValue(`has '${word}', which is not NAME=value`);
        context.draft.variable(word.slice(0, word.indexOf("=")), word.slice(word.indexOf("=") + 1));
      }
    context.carried(entry, "environment");
  },
  EnvironmentFile: (entry, context) => {
    for (const tree of asList(entry.tree)) {
      const written = context.specified(text(tree));
      const path = written.replace(/^-/, "");
      const isMissing = !existsSync(resolve(context.environment.paths.source, path));
      if (written !== path && isMissing) context.dropped(entry, `'${path}' may be missing, and is missing`, "env_file, when it is there");
      else context.draft.add("env_file", context.environment.paths.moved(path));
    }
    if (context.draft.get("env_file") !== undefined) context.carried(entry, "env_file");
  },
  PassEnvironment: (entry, context) => {
    for (const { word } of wordsOf(entry)) context.draft.add("pass_environment", word);
    context.carried(entry, "pass_environment");
  },
  UnsetEnvironment: drop("a process inherits only a few variables"),
  User: (entry, context) => {
    context.draft.set("user", context.specified(text(entry.tree)));
    context.guessed(entry, "user", "the manager must run as root, or as this user");
  },
  Group: drop("a process has the groups of its user"),
  SupplementaryGroups: drop("a process has the groups of its user"),
  UMask: carry("umask", (tree) => text(tree).replace(/^0(?=\d{3}$)/, "")),
  Restart: (entry, context) => {
    const [policy, why] = POLICIES[text(entry.tree)] ?? [];
    if (policy === undefined) throw new UnfitValue(`'${text(entry.tree)}' is not a restart policy`);
    context.draft.set("restart.policy", policy);
    if (why == null) context.carried(entry, "restart.policy");
    else context.guessed(entry, "restart", why);
  },
  RestartSec: carry("restart.delay", spanText),
  RestartMaxDelaySec: (entry, context) => {
    context.draft.set("restart.max_delay", spanText(entry.tree));
    context.draft.set("restart.factor", 2);
    context.guessed(entry, "restart", "each delay is twice the one before");
  },
  RestartSteps: drop("each delay is restart.factor times the one before"),
  StartLimitInterval: interval,
  StartLimitBurst: burst,
  SuccessExitStatus: (entry, context) => {
    const words = wordsOf(entry).map(({ word }) => word);
    context.draft.set("success_exit_codes", [...new Set([0, ...words.filter((word) => /^\d+$/.test(word)).map(Number)])]);
    if (words.every((word) => /^\d+$/.test(word))) context.carried(entry, "success_exit_codes");
    else context.guessed(entry, "success_exit_codes", "signals and names of exit codes are left out");
  },
  RestartPreventExitStatus: drop("the policy does not depend on the exit code", "success_exit_codes"),
  RestartForceExitStatus: drop("the policy does not depend on the exit code", "success_exit_codes"),
  TimeoutStartSec: (entry, context) => {
    if (!/^(notify|notify-reload|dbus|forking)$/.test(String(context.section.get("Type")?.value)))
      return context.dropped(entry, "a process without a ready condition is ready when it is started");
    context.dropped(entry, "there is no ready condition that it could bound", "ready_timeout, with ready");
  },
  TimeoutSec: carry("stop.timeout", spanText),
  RuntimeMaxSec: (entry, context) => {
    if (isInfinity(entry.tree)) return;
    const rule = new Map([
      ["run_time", duration(span(entry.tree))],
      ["then", isRestarted(context) ? "restart" : "stop"],
    ]);
    context.draft.set("limits_act", [rule]);
    context.carried(entry, "limits_act");
  },
  WatchdogSec: drop("messages of sd_notify are not received", "alive: {http: …}, {tcp: …} or {exec: …}"),
  NotifyAccess: drop("messages of sd_notify are not received"),
  KillMode: (entry, context) => {
    if (text(entry.tree) === "control-group") context.carried(entry, "a stop reaches the whole process tree");
    else context.dropped(entry, "a stop always ends the whole process tree");
  },
  SendSIGKILL: (entry, context) => {
    if (!flag(entry.tree)) context.dropped(entry, "what is left after stop.timeout is always killed");
  },
  FinalKillSignal: drop("what is left after stop.timeout gets SIGKILL"),
  RestartKillSignal: drop("a restart stops the process as a stop does"),
  PIDFile: drop("mgr knows the process that it started"),
  RemainAfterExit: always("a process that has ended well is 'completed'"),
  StandardOutput: logTo,
  StandardError: logTo,
  StandardInput: always("each process has a terminal"),
  TTYPath: always("each process has a terminal of its own"),
  SyslogIdentifier: drop("mgr keeps the output itself (mgr logs)"),
  Nice: carry("scheduling.nice", integer),
  CPUSchedulingPolicy: carry("scheduling.policy", text),
  CPUSchedulingPriority: carry("scheduling.prio", integer),
  CPUAffinity: carry("scheduling.affinity", (tree) =>
    text(tree)
      .trim()
      .split(/[\s,]+/)
      .join(","),
  ),
  MemoryMax: memory("cgroup.memory_max"),
  MemoryLimit: memory("cgroup.memory_max"),
  MemoryHigh: memory("cgroup.memory_high"),
  CPUQuota: carry("cgroup.cpu_max", text),
  TasksMax: guess(
    "limits.nproc",
    (tree) => (isInfinity(tree) ? "unlimited" : integer(tree)),
    "limits.nproc counts all processes of the user",
  ),
  RuntimeDirectory: drop("no folders are made for a process", "make the folder once, or in the command: mkdir -p"),
  StateDirectory: drop("no folders are made for a process", "make the folder once, or in the command: mkdir -p"),
  CacheDirectory: drop("no folders are made for a process", "make the folder once, or in the command: mkdir -p"),
  LogsDirectory: drop("no folders are made for a process", "make the folder once, or in the command: mkdir -p"),
  ConfigurationDirectory: drop("no folders are made for a process", "make the folder once, or in the command: mkdir -p"),
  DynamicUser: drop("users are not made for a process", "user, with one that exists"),
  ...Object.fromEntries(LIMIT_NAMES.map((name) => [`Limit${name.toUpperCase()}`, limit(name)])),
};

/** Keys without rules, by what they begin with. */
const FAMILIES: readonly (readonly [RegExp, string])[] = [
  [
    /^(Protect|Private|Restrict|NoNewPrivileges|Capability|AmbientCap|SystemCall|ReadOnly|ReadWrite|Inaccessible|Bind|Temporary|Lock|MemoryDenyWrite|Secure|Remove|Root|Device|Mount|Proc|NetworkNamespace|IPAddress|Keyring|ExecPaths|NoExecPaths)/,
    "mgr does not put processes into sandboxes",
  ],
  [/^(Condition|Assert)/, "a start has no conditions"],
  [/^(IO|Block|CPU|Memory|Tasks|Slice|Delegate|OOM|Managed)/, "cgroup has no such limit"],
  [/^(Log|Syslog|Journal)/, "mgr keeps the output itself (mgr logs)"],
  [/^(LoadCredential|SetCredential|ImportCredential)/, "there are no credentials of the system"],
];

export const otherKey: Rule<Conversion> = (entry, context) => {
  const family = FAMILIES.find(([pattern]) => pattern.test(entry.name));
  context.dropped(
    entry,
    family?.[1] ?? "this key is not known to mgr import",
    family === undefined ? "see docs/config-keys.md for what mgr has" : "",
  );
};
