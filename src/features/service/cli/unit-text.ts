import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";

/** First words of a unit that `mgr service install` has written. */
export const WRITTEN_BY = "# Written by: mgr service install";

/** Time for the processes to stop, seconds. */
const STOP_SECONDS = 120;
/** A manager whose event loop stands still for this long is started again, seconds. */
const WATCHDOG_SECONDS = 120;

interface Service {
  readonly description: string;
  /** The program with its first arguments, such as Node and the script. */
  readonly program: readonly string[];
  /** Null: the user is given by systemd. */
  readonly runAs: string | null;
  readonly folder: string;
  readonly environment: readonly string[];
}

export interface ManagerService extends Service {
  /** Arguments that name the configuration. */
  readonly configuration: readonly string[];
}

export interface DaemonService extends Service {
  /** Arguments of `mgr daemon`. */
  readonly daemon: readonly string[];
}

/** Returns the unit of a manager with its local daemon. Throws for a value that cannot stand in a unit. */
export function managerUnit(service: ManagerService): string {
  const command = (...args: string[]) => commandLine([...service.program, ...args, ...service.configuration]);
  return unit(service, [
    "Type=notify",
    ...common(service),
    `ExecStart=${command("up", "--no-output")}`,
    `ExecReload=${command("reload")}`,
    "# A manager that did not end in time was killed, and its processes run on: this ends them.",
    `ExecStopPost=/bin/sh -c 'test "$$SERVICE_RESULT" != timeout || exec "$$@"' sh ${command("down", "--timeout", String(STOP_SECONDS - 10))}`,
    "# If the manager crashes, only the manager is started again. Its processes run on under their daemon, and the next manager adopts them.",
    "KillMode=process",
    "Restart=on-failure",
    `WatchdogSec=${WATCHDOG_SECONDS}`,
  ]);
}

/** Returns the unit of the daemon of another host. */
export function daemonUnit(service: DaemonService): string {
  return unit(service, [
    "Type=exec",
    ...common(service),
    `ExecStart=${commandLine([...service.program, "daemon", ...service.daemon])}`,
    "# The daemon stops its processes in order. What is left when it has ended is killed.",
    "KillMode=mixed",
    "Restart=always",
  ]);
}

function common({ runAs, folder, environment }: Service): string[] {
  return [
    ...(runAs === null ? [] : [`User=${specifierFree(runAs)}`]),
    `WorkingDirectory=${specifierFree(folder)}`,
    ...environment.map((variable) => `Environment=${word(variable)}`),
  ];
}

function unit({ description, runAs }: Service, lines: readonly string[]): string {
  const isUser = runAs === null;
  return `${WRITTEN_BY}
# Another run of the command replaces this file. Put changes into a drop-in: systemctl${isUser ? " --user" : ""} edit UNIT
# Everything below applies to the supervised processes, too. Options that restrict programs (ProtectSystem=, PrivateDevices=, …) are
# left out for that reason: docs/service.md, "Hardening".

[Unit]
Description=${specifierFree(description)}
${isUser ? "" : "Wants=network-online.target\nAfter=network-online.target\n"}# There is no last attempt: what prevents a start, such as a port in use, may end.
StartLimitIntervalSec=0

[Service]
${lines.join("\n")}
RestartSec=2
# The command line or the configuration is wrong, or another one runs already: the next start would end in the same way.
RestartPreventExitStatus=2 3
TimeoutStopSec=${STOP_SECONDS}
# Each run has a cgroup of its own, with limits (docs/limits.md). DelegateSubgroup needs systemd 254; older ones ignore it.
Delegate=yes
DelegateSubgroup=mgr
# A process that the kernel kills for its memory is restarted by its policy; systemd would end all others with it.
OOMPolicy=continue
# systemd's limits are for one program, not for hundreds. The first number stays low: programs with select(2) need it.
TasksMax=infinity
LimitNOFILE=1024:524288

[Install]
WantedBy=${isUser ? "default.target" : "multi-user.target"}
`;
}

/** A command as systemd splits it again (systemd.service(5), "Command lines"). */
function commandLine(words: readonly string[]): string {
  return words.map((each) => word(each.replaceAll("$", () => "$$"))).join(" ");
}

/** A word of a list of words. */
function word(text: string): string {
  const plain = specifierFree(text);
  return /^[\w@%+=:,./$-]+$/.test(plain) ? plain : `"${plain.replaceAll("\\", "\\\\").replaceAll('"', '\\"')}"`;
}

/** `%` begins a specifier, and a line ends a value. */
function specifierFree(text: string): string {
  if (/\p{Cc}/u.test(text))
    throw new CommandFailure(EXIT.usage, `${JSON.stringify(text)} has control characters, which a unit cannot contain`);
  return text.replaceAll("%", "%%");
}
