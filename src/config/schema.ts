import { constants } from "node:os";
import type { z } from "zod";
import { messageOf } from "../base/errors.ts";
import { nameProblem } from "../base/names.ts";
import type { ReadyCondition } from "../contract/run.ts";
import { toCommand } from "./command-line.ts";
import type { Finding } from "./problems.ts";
import { jsonSchemaOf, leaf, listOf, listOr, namedMap, Refusal, section } from "./schema-kinds.ts";
import { didYouMean } from "./suggest.ts";
import { DURATION_PATTERN, parseDuration, parseSize, SIZE_PATTERN } from "./units.ts";

/**
 * The keys of the configuration file (docs/config.schema.json is generated from here), before defaults are applied.
 * Every key carries its description; defaults stand in resolve.ts.
 */
const MAX_BACKLOG = 512 * 1_048_576;

function described<Value extends z.ZodType>(description: string, value: Value) {
  return value.meta({ description }).exactOptional();
}

// Single values.

function text(allowed: string, refuse: (value: string) => string | null = () => null) {
  return leaf<string, string>(allowed, { type: "string", minLength: 1 }, (value) => {
    if (typeof value !== "string" || value === "") return undefined;
    const problem = value.includes("\0") ? "holds a NUL character" : refuse(value);
    return problem === null ? value : new Refusal(problem);
  });
}

const path = (allowed: string) =>
  text(allowed, (value) =>
    /^~(\/|$)/.test(value) ? "begins with '~', which is not expanded; write the path out, or relative to this file" : null,
  );

function integer(minimum: number, maximum: number) {
  return leaf<number, number>(`a whole number from ${minimum} to ${maximum}`, { type: "integer", minimum, maximum }, (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= minimum && value <= maximum ? value : undefined,
  );
}

const flag = leaf<boolean, boolean>("true or false", { type: "boolean" }, (value) => (typeof value === "boolean" ? value : undefined));

function choice<const Value extends string>(...values: Value[]) {
  return leaf<Value, Value>(`one of ${values.join(", ")}`, { enum: values }, (value) => {
    const found = values.find((candidate) => candidate === value);
    if (found !== undefined || typeof value !== "string") return found;
    const suggestion = didYouMean(value, values);
    return suggestion === "" ? undefined : new Refusal(`must be one of ${values.join(", ")}, found '${value}'${suggestion}`);
  });
}

const DURATION = "a duration such as 500ms, 5s, 2m, 1h or a number of seconds, at most 24 days";
const durationJson = {
  anyOf: [
    { type: "string", pattern: DURATION_PATTERN },
    { type: "number", minimum: 0, maximum: 24 * 86_400 },
  ],
};
const duration = leaf<string | number, number>(DURATION, durationJson, parseDuration);
const positiveDuration = leaf<string | number, number>(
  `${DURATION}, and more than 0`,
  durationJson,
  (value) => parseDuration(value) || undefined,
);
const durationOrNone = leaf<string | number, number | "none">(
  `${DURATION}, and more than 0, or none`,
  { anyOf: [...durationJson.anyOf, { const: "none" }] },
  (value) => (value === "none" ? "none" : parseDuration(value) || undefined),
);

const backlog = leaf<string | number, number>(
  "a size such as 64KiB, 4MiB or a number of bytes, from 4KiB to 512MiB",
  {
    anyOf: [
      { type: "string", pattern: SIZE_PATTERN },
      { type: "integer", minimum: 4_096, maximum: MAX_BACKLOG },
    ],
  },
  (value) => {
    const size = parseSize(value);
    return size !== undefined && size >= 4_096 && size <= MAX_BACKLOG ? size : undefined;
  },
);

const factor = leaf<number, number>("a number from 1 to 100", { type: "number", minimum: 1, maximum: 100 }, (value) =>
  typeof value === "number" && value >= 1 && value <= 100 ? value : undefined,
);

const SIGNALS = Object.keys(constants.signals).sort();
const signal = leaf<string, string>("a signal such as SIGTERM", { enum: SIGNALS }, (value) => {
  if (typeof value !== "string" || Object.hasOwn(constants.signals, value)) return typeof value === "string" ? value : undefined;
  const name = value.toUpperCase();
  const suggestion = didYouMean(name.startsWith("SIG") ? name : `SIG${name}`, SIGNALS);
  return suggestion === "" ? undefined : new Refusal(`must be a signal such as SIGTERM, found '${value}'${suggestion}`);
});

const regex = leaf<string | RegExp, string>("a regular expression", { type: "string", minLength: 1, format: "regex" }, (value) => {
  if (value instanceof RegExp && /[^gu]/.test(value.flags)) return new Refusal(`has the flags '${value.flags}'; only 'u' is supported`);
  const pattern = value instanceof RegExp ? value.source : value;
  if (typeof pattern !== "string" || pattern === "") return undefined;
  try {
    new RegExp(pattern, "u");
    return pattern;
  } catch (error) {
    return new Refusal(`is no regular expression: ${messageOf(error)}`);
  }
});

const environmentValue = leaf<string | number | boolean, string | number | boolean>(
  'a string, number or boolean (an empty value is written "")',
  { type: ["string", "number", "boolean"] },
  (value) => {
    if (typeof value === "string") return value.includes("\0") ? new Refusal("holds a NUL character") : value;
    return typeof value === "number" || typeof value === "boolean" ? value : undefined;
  },
);

function variableProblem(name: string): string | null {
  if (name === "") return "is empty";
  if (/[=\0]/.test(name)) return "holds a '=' or a NUL character, which the name of a variable cannot";
  return null;
}

const passedName = text("the name of a variable, or the beginning of names and a '*' (LC_*)", (value) => {
  if (/^[^=*]*\*?$/.test(value)) return null;
  return value.includes("=")
    ? "holds a '='; 'pass_environment' takes names, 'environment' sets values"
    : "has a '*' that is not at its end";
});

const word = leaf<string, string>("a string", { type: "string" }, (value) => (typeof value === "string" ? value : undefined));
const commandLine = leaf<string, string>("a command: a string, or a list of words", { type: "string", minLength: 1 }, (value) =>
  typeof value === "string" ? value : undefined,
);
const command = listOr(listOf("words", word, { type: "array", minItems: 1 }), commandLine);

/** `[HOST]:PORT`, where HOST may be empty (every interface) and an IPv6 address stands in brackets. */
const listenAddress = leaf<string, { host: string; port: number }>(
  "HOST:PORT, or :PORT for every interface, such as localhost:8130",
  { type: "string", pattern: String.raw`^([A-Za-z0-9._-]*|\[[0-9A-Fa-f:.%A-Za-z0-9]+\]):\d{1,5}$` },
  (value) => {
    if (typeof value === "number")
      return new Refusal(`must be HOST:PORT, found ${value}; write '":${value}"' for every interface or 'localhost:${value}'`);
    if (typeof value !== "string") return undefined;
    const match = /^(?:([A-Za-z0-9._-]*)|\[([0-9A-Fa-f:.]+(?:%[A-Za-z0-9._-]+)?)\]):(\d{1,5})$/.exec(value);
    if (match === null)
      return /^[0-9A-Fa-f:]+:\d+$/.test(value)
        ? new Refusal(`an IPv6 address stands in brackets: '[::1]:8130', found '${value}'`)
        : undefined;
    const port = Number(match[3]);
    if (port > 65_535) return new Refusal(`the port must be from 0 to 65535, found ${port}`);
    if (match[2] !== undefined && !URL.canParse(`http://[${match[2].replace(/%.*/, "")}]/`))
      return new Refusal(`'${match[2]}' is no IPv6 address`);
    return { host: match[2] ?? match[1] ?? "", port };
  },
);

const instanceName = text("1 to 64 characters A-Z a-z 0-9 . _ -", (value) => {
  if (value === "." || value === "..") return "cannot be '.' or '..'";
  return /^[A-Za-z0-9._-]{1,64}$/.test(value) ? null : `must be 1 to 64 characters A-Z a-z 0-9 . _ -, found '${value}'`;
});

// Sections.

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
  namedMap("process names to {condition, on_stop}", dependency, () => null),
);

const shared = {
  cwd: described("Working directory, relative to the folder of this file. Default: that folder.", path("the path of a folder")),
  environment: described(
    "Variables that are set for the process. Those of a process are added to those of 'defaults'.",
    namedMap("names to values", environmentValue, variableProblem),
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

const process = section(
  {
    command: command.meta({
      description:
        "A string is split into words and executed directly; with shell syntax it goes through /bin/sh -c. A list of words is always executed directly.",
    }),
    shell: described("Run commands given as strings through /bin/sh -c even without shell syntax. Default false.", flag),
    alternate_commands: described(
      "Further commands by label, to be selected at run time.",
      namedMap("labels to commands", command, labelProblem),
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
  state_dir: described("Where the manager keeps its state. Default $XDG_STATE_HOME/mgr/<name>.", path("the path of a folder")),
  retained_log_entries: described("Entries of the manager's log that are kept in memory. Default 10000.", integer(1, 1_000_000)),
};

const rest = {
  defaults: described("What every process starts from; its own keys win.", section(shared)),
  groups: described(
    "Settings of groups. A group exists by the names of its processes, too.",
    namedMap(
      "group names to {opened}",
      section({
        opened: described("Whether the group is shown unfolded. Default true.", flag),
      }),
      nameProblem,
    ),
  ),
  processes: described("The processes by name; '/' separates groups.", namedMap("process names to their settings", process, nameProblem)),
};

/** A file names its instance; an embedding program need not. */
export const configFileSchema = section({ instance: section(instance).meta({ description: "The manager itself." }), ...rest });
export const configObjectSchema = section({
  instance: section({ ...instance, name: instance.name.exactOptional(), manager: instance.manager.exactOptional() }).exactOptional(),
  ...rest,
});

/** What an embedding program writes. */
export type ConfigInput = NonNullable<z.input<typeof configObjectSchema>>;
/** Checked, without defaults. */
export type ConfigFile = z.output<typeof configObjectSchema>;
export type ProcessSection = z.output<typeof process>;
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
