import type { z } from "zod";
import { messageOf } from "../base/errors.ts";
import { nameProblem } from "../base/names.ts";
import type { ReadyCondition } from "../contract/run.ts";
import { toCommand } from "./command-line.ts";
import type { Finding } from "./problems.ts";
import { jsonSchemaOf, listOf, listOr, namedMap, section } from "./schema-kinds.ts";
import {
  backlog,
  choice,
  command,
  duration,
  durationOrNone,
  environmentValue,
  factor,
  flag,
  hostName,
  instanceName,
  integer,
  listenAddress,
  passedName,
  path,
  positiveDuration,
  regex,
  signal,
  text,
  variableProblem,
} from "./schema-values.ts";
import { parseDuration } from "./units.ts";

/**
 * The keys of the configuration file (docs/config.schema.json is generated from here), before defaults are applied.
 * Every key carries its description; defaults stand in resolve.ts.
 */
function described<Value extends z.ZodType>(description: string, value: Value) {
  return value.meta({ description }).exactOptional();
}

const terminal = section({
  rows: described("Lines of the terminal. Default 24.", integer(1, 65_535)),
  cols: described("Columns of the terminal. Default 80.", integer(1, 65_535)),
  backlog: described("How much output is kept: bytes, or such as 64KiB, 4MiB. Default 4MiB.", backlog),
});

const restart = section(
  {
    policy: described("When a process that ended by itself is started again. Default never.", choice("never", "on-failure", "always")),
    delay: described("Wait before the first restart. Default 1s.", duration),
    factor: described("By how much each further delay is longer. Default 2.", factor),
    max_delay: described("Longest delay. Default 60s.", duration),
    max_restarts: described("More restarts than this within the window are a crash loop: state error. Default 10.", integer(0, 1_000_000)),
    window: described("See max_restarts. Default 5m.", positiveDuration),
    reset_after: described("A run that lived this long sets the delay back. Default 60s.", duration),
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

const stop = section({
  signal: described("What asks the process to end. Default SIGTERM.", signal),
  timeout: described("How long it may take before everything left of it is killed. Default 10s.", duration),
});

const ready = section(
  {
    regex: described("JavaScript regular expression (flag u) that the output has to match.", regex),
    time: described("How long it has to have run.", duration),
  },
  {
    allowed: "a mapping with one of the keys regex, time",
    json: { oneOf: [{ required: ["regex"] }, { required: ["time"] }] },
    check: (values, report) => {
      if (values.has("regex") === values.has("time")) {
        const both = values.has("regex") ? "has both 'regex' and 'time'; use one of them" : "must have one of the keys regex, time";
        report({ path: [], message: both, at: "key" });
      }
    },
  },
);

const dependency = section({
  condition: described(
    "What to wait for. Default ready; a process without a ready condition is ready when started.",
    choice("started", "ready", "completed"),
  ),
  on_stop: described(
    "What happens to this process when the other one is stopped by request. Default stop.",
    choice("stop", "restart", "keep"),
  ),
});
const dependsOn = listOr(
  listOf("process names", text("the name of a process"), { uniqueItems: true }),
  namedMap("a list of process names, or a mapping from them to {condition, on_stop}", dependency, () => null),
);

const shared = {
  cwd: described("Working directory, relative to the folder of this file. Default: that folder.", path("the path of a folder")),
  environment: described(
    "Variables that are set for the process. Those of a process are added to those of 'defaults'.",
    namedMap("a mapping from names to values", environmentValue, variableProblem),
  ),
  pass_environment: described(
    "Variables to inherit beside the standard ones; a '*' at the end matches the rest of a name.",
    listOf("variable names", passedName),
  ),
  terminal: described("The process's terminal.", terminal),
  ready_timeout: described("How long a process may take to become ready. Default none.", durationOrNone),
  restart: described("What happens when the process ends by itself.", restart),
  stop: described("How the process is stopped.", stop),
  success_exit_codes: described("Exit codes that mean success. Default [0].", listOf("exit codes", integer(0, 255))),
  autostart: described("Start with the manager. Default false.", flag),
};

function labelProblem(label: string): string | null {
  if (label === "default") return "is reserved: it selects 'command'";
  if (label === "" || label.length > 64) return "must have 1 to 64 characters";
  return /\p{C}/u.test(label) ? "has a character that cannot be printed" : null;
}

function checkCommands(values: ReadonlyMap<string, unknown>, report: (finding: Finding) => void): void {
  const check = (key: (string | number)[], value: unknown) => {
    const isCommand = typeof value === "string" || (Array.isArray(value) && value.every((item) => typeof item === "string"));
    if (!isCommand) return;
    try {
      toCommand(value, values.get("shell") === true);
    } catch (error) {
      report({ path: key, message: messageOf(error) });
    }
  };
  check(["command"], values.get("command"));
  const alternates = values.get("alternate_commands");
  const entries = alternates instanceof Map ? alternates : new Map(Object.entries(alternates ?? {}));
  for (const [label, value] of entries) check(["alternate_commands", String(label)], value);
}

const processSection = section(
  {
    command: command.meta({
      description:
        "A string is split into words and executed directly; with shell syntax it goes through /bin/sh -c. A list of words is always executed directly.",
    }),
    shell: described("Run commands given as strings through /bin/sh -c even without shell syntax. Default false.", flag),
    alternate_commands: described(
      "Further commands by label, to be selected at run time.",
      namedMap("a mapping from labels to commands", command, labelProblem),
    ),
    ready: described("When the process counts as ready: after an output line or a time.", ready),
    depends_on: described(
      "Processes that have to be there before this one starts: a list of names, or a mapping with conditions.",
      dependsOn,
    ),
    ...shared,
  },
  { allowed: "a mapping with at least the key command", check: checkCommands },
);

const instance = {
  name: instanceName.meta({ description: "Names this manager; unique on its host. 1 to 64 characters A-Z a-z 0-9 . _ -" }),
  manager: listenAddress.meta({
    description: "Where the one port listens: [HOST]:PORT. An empty HOST is every interface, port 0 a free one.",
  }),
  webui_auth_file: described(
    "Users and passwords of the web interface, relative to the folder of this file. MGR_WEBUI_AUTH_FILE wins.",
    path("the path of a file"),
  ),
  webui_https_cert_file: described(
    "PEM file with the certificate chain, and with the private key unless webui_https_key_file names it: the port then takes HTTPS too.",
    path("the path of a file"),
  ),
  webui_https_key_file: described("PEM file with the private key of webui_https_cert_file.", path("the path of a file")),
  https_only: described("Answer plain HTTP with a redirect to HTTPS, and mark the session cookie Secure. Default false.", flag),
  allowed_hosts: described(
    "Further host names by which browsers reach this manager, without port: those of a proxy, or aliases.",
    listOf("host names", hostName),
  ),
  state_dir: described("Where the manager keeps its state. Default $XDG_STATE_HOME/mgr/<name>.", path("the path of a folder")),
  retained_log_entries: described("Entries of the manager's log that are kept in memory. Default 10000.", integer(1, 1_000_000)),
};

const rest = {
  defaults: described("What every process starts from; its own keys win.", section(shared)),
  groups: described(
    "Settings of groups. A group exists by the names of its processes, too.",
    namedMap(
      "a mapping from group names to {opened}",
      section({
        opened: described("Whether the group is shown unfolded. Default true.", flag),
      }),
      nameProblem,
    ),
  ),
  processes: described(
    "The processes by name; '/' separates groups.",
    namedMap("a mapping from process names to their settings", processSection, nameProblem),
  ),
};

function checkHttps(values: ReadonlyMap<string, unknown>, report: (finding: Finding) => void): void {
  if (values.has("webui_https_cert_file")) return;
  const message = "needs webui_https_cert_file: without a certificate there is no HTTPS";
  if (values.has("webui_https_key_file")) report({ path: ["webui_https_key_file"], message });
  if (values.get("https_only") === true) report({ path: ["https_only"], message });
}

/** A file names its instance; an embedding program need not. */
export const configFileSchema = section({
  instance: section(instance, { check: checkHttps }).meta({ description: "The manager itself." }),
  ...rest,
});
export const configObjectSchema = section({
  instance: section(
    { ...instance, name: instance.name.exactOptional(), manager: instance.manager.exactOptional() },
    { check: checkHttps },
  ).exactOptional(),
  ...rest,
});

/** What an embedding program writes. */
export type ConfigInput = NonNullable<z.input<typeof configObjectSchema>>;
/** Checked, without defaults. */
export type ConfigFile = z.output<typeof configObjectSchema>;
export type ProcessSection = z.output<typeof processSection>;
export type DefaultsSection = z.output<ReturnType<typeof section<typeof shared>>>;

export function readyCondition(value: z.output<typeof ready>): ReadyCondition | null {
  if (value.regex !== undefined) return { kind: "regex", pattern: value.regex };
  return value.time === undefined ? null : { kind: "time", ms: value.time };
}

/** JSON Schema (draft 2020-12) of the configuration file, for editors. */
export function configJsonSchema(): object {
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "mgr configuration",
    ...jsonSchemaOf(configFileSchema),
    type: "object",
  };
}
