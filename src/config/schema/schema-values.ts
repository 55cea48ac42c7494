import { messageOf } from "../../base/errors.ts";
import { didYouMean } from "../../base/text/suggest.ts";
import { MAX_PAYLOAD_LIMIT_BYTES, MIN_BUS_MEMORY_BYTES } from "../../contract/messages.ts";
import type { Limit } from "../../contract/run-settings.ts";
import { isSignal, REAL_TIME_SIGNAL, SIGNALS } from "../../protocol/process/signals.ts";
import { toCommand } from "../command-line.ts";
import { leaf, listOf, listOr, Refusal } from "./schema-kinds.ts";
import { DURATION_PATTERN, parseDuration, parseSize, SIZE_PATTERN } from "./units.ts";

/** The single values of a configuration: the allowed values in words and as JSON Schema, and the conversion to the program's values. */
const MAX_BACKLOG_BYTES = 512 * 1_048_576;

export function text(allowed: string, refuse: (value: string) => string | null = () => null) {
  return leaf<string, string>(allowed, { type: "string", minLength: 1 }, (value) => {
    if (typeof value !== "string" || value === "") return undefined;
    const problem = value.includes("\0") ? "contains a NUL character" : refuse(value);
    return problem === null ? value : new Refusal(problem);
  });
}

export const path = (allowed: string) =>
  text(allowed, (value) =>
    /^~(\/|$)/.test(value) ? "begins with '~', which is not expanded; write the full path, or a path relative to this file" : null,
  );

export function integer(minimum: number, maximum: number) {
  return leaf<number, number>(`a whole number from ${minimum} to ${maximum}`, { type: "integer", minimum, maximum }, (value) =>
    typeof value === "number" && Number.isInteger(value) && value >= minimum && value <= maximum ? value : undefined,
  );
}

export const flag = leaf<boolean, boolean>("true or false", { type: "boolean" }, (value) =>
  typeof value === "boolean" ? value : undefined,
);

export function choice<const Value extends string>(...values: Value[]) {
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
  unit: "seconds",
};
export const duration = leaf<string | number, number>(DURATION, durationJson, parseDuration);
export const positiveDuration = leaf<string | number, number>(
  `${DURATION}, and more than 0`,
  durationJson,
  (value) => parseDuration(value) || undefined,
);
/** Null is "none". */
export const durationOrNone = leaf<string | number, number | null>(
  `${DURATION}, and more than 0, or none`,
  { ...durationJson, anyOf: [...durationJson.anyOf, { const: "none" }] },
  (value) => (value === "none" ? null : parseDuration(value) || undefined),
);

/** Bytes. The JSON schema has no limit for sizes with a unit: a pattern cannot compare them. */
function sizeOf(allowed: string, minimum: number, maximum?: number) {
  const integers = { type: "integer", minimum, ...(maximum === undefined ? {} : { maximum }) };
  return leaf<string | number, number>(
    allowed,
    { anyOf: [{ type: "string", pattern: SIZE_PATTERN }, integers], unit: "bytes" },
    (value) => {
      const size = parseSize(value);
      return size !== undefined && size >= minimum && size <= (maximum ?? size) ? size : undefined;
    },
  );
}

export const backlog = sizeOf("a size such as 64KiB, 4MiB or a number of bytes, from 4KiB to 512MiB", 4_096, MAX_BACKLOG_BYTES);
export const logFileSize = sizeOf("a size such as 64KiB, 10MiB or a number of bytes, at least 1KiB", 1_024);
export const recordingSize = sizeOf("a size such as 64KiB, 1GiB or a number of bytes, at least 64KiB", 65_536);
export const ringMemory = sizeOf("a size such as 64MiB, 1GiB or a number of bytes, at least 1MiB", 1_048_576);
export const diskSize = sizeOf("a size such as 500MiB, 1GiB or a number of bytes", 0);
export const anySize = sizeOf("a size such as 64KiB, 2GiB or a number of bytes, at least 1", 1);
export const payloadSize = sizeOf("a size such as 1MiB or a number of bytes, from 1KiB to 64MiB", 1_024, MAX_PAYLOAD_LIMIT_BYTES);

export const busMemory = sizeOf("a size such as 256MiB or a number of bytes, at least 16MiB", MIN_BUS_MEMORY_BYTES);

export const factor = leaf<number, number>("a number from 1 to 100", { type: "number", minimum: 1, maximum: 100 }, (value) =>
  typeof value === "number" && value >= 1 && value <= 100 ? value : undefined,
);

/** Percent of one CPU. */
export const cpuShare = leaf<string, number>(
  "a share of one CPU such as 50% or 150%, from 1% to 100000%",
  { type: "string", pattern: String.raw`^\d+(\.\d+)?%$` },
  (value) => {
    if (typeof value !== "string" || !/^\d+(\.\d+)?%$/.test(value)) return undefined;
    const percent = Number.parseFloat(value);
    return percent >= 1 && percent <= 100_000 ? percent : undefined;
  },
);

const SIGNAL_NAMES = [...SIGNALS].sort();
const signalJson = { anyOf: [{ enum: SIGNAL_NAMES }, { type: "string", pattern: REAL_TIME_SIGNAL.source }] };
export const signal = leaf<string, string>("a signal such as SIGTERM or SIGRTMIN+3", signalJson, (value) => {
  if (typeof value !== "string" || isSignal(value)) return typeof value === "string" ? value : undefined;
  const name = value.toUpperCase();
  const suggestion = didYouMean(name.startsWith("SIG") ? name : `SIG${name}`, SIGNAL_NAMES);
  return suggestion === "" ? undefined : new Refusal(`must be a signal such as SIGTERM, found '${value}'${suggestion}`);
});

export const regex = leaf<string | RegExp, string>("a regular expression", { type: "string", minLength: 1, format: "regex" }, (value) => {
  if (value instanceof RegExp && /[^gu]/.test(value.flags)) return new Refusal(`has the flags '${value.flags}'; only 'u' is supported`);
  const pattern = value instanceof RegExp ? value.source : value;
  if (typeof pattern !== "string" || pattern === "") return undefined;
  try {
    new RegExp(pattern, "u");
    return pattern;
  } catch (error) {
    return new Refusal(`is not a valid regular expression: ${messageOf(error)}`);
  }
});

export const environmentValue = leaf<string | number | boolean, string | number | boolean>(
  'a string, number or boolean (an empty value is written "")',
  { type: ["string", "number", "boolean"] },
  (value) => {
    if (typeof value === "string") return value.includes("\0") ? new Refusal("contains a NUL character") : value;
    return typeof value === "number" || typeof value === "boolean" ? value : undefined;
  },
);

export function variableProblem(name: string): string | null {
  if (name === "") return "is empty";
  if (/[=\0]/.test(name)) return "contains '=' or a NUL character, which is not allowed in the name of a variable";
  return null;
}

export const passedName = text("the name of a variable, or the beginning of names and a '*' (LC_*)", (value) => {
  if (/^[^=*]*\*?$/.test(value)) return null;
  return value.includes("=")
    ? "contains '='; 'pass_environment' takes names, 'environment' sets values"
    : "has a '*' that is not at the end";
});

const word = leaf<string, string>("a string", { type: "string" }, (value) => (typeof value === "string" ? value : undefined));
const commandLine = leaf<string, string>("a command: a string, or a list of words", { type: "string", minLength: 1 }, (value) =>
  typeof value === "string" ? value : undefined,
);
export const command = listOr(listOf("words", word, { type: "array", minItems: 1 }), commandLine);

/** The reason why `value` is no command, as a sentence without a subject; null if it is one, or of another type altogether. */
export function commandProblem(value: unknown, shell: boolean): string | null {
  const isCommand = typeof value === "string" || (Array.isArray(value) && value.every((item) => typeof item === "string"));
  if (!isCommand) return null;
  try {
    toCommand(value, shell);
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

/** YAML reads an unquoted 022 as the number 22. */
const octalDigits = (example: string) =>
  leaf<string, number>(`three octal digits in quotes, such as "${example}"`, { type: "string", pattern: "^0?[0-7]{3}$" }, (value) => {
    if (typeof value === "number") return new Refusal(`must be in quotes, such as "${example}": YAML reads ${value} as a decimal number`);
    return typeof value === "string" && /^0?[0-7]{3}$/.test(value) ? Number.parseInt(value, 8) : undefined;
  });

export const umask = octalDigits("022");
export const fileMode = octalDigits("0640");

export const user = leaf<string | number, string>(
  "the name or the number of a user",
  {
    anyOf: [
      { type: "string", minLength: 1 },
      { type: "integer", minimum: 0 },
    ],
  },
  (value) => {
    if (typeof value === "number") return Number.isInteger(value) && value >= 0 && value <= 4_294_967_294 ? String(value) : undefined;
    return typeof value === "string" && /^[^\s:\0]+$/.test(value) ? value : undefined;
  },
);

/** Null is "unlimited". */
export const resourceLimit = leaf<string | number, Limit>(
  "a whole number, a size such as 64MiB, or unlimited",
  { anyOf: [{ type: "integer", minimum: 0 }, { type: "string", pattern: SIZE_PATTERN }, { const: "unlimited" }] },
  (value) => {
    const size = value === "unlimited" ? null : parseSize(value);
    return size === undefined ? undefined : { soft: size, hard: size };
  },
);

const MAX_CPU = 1_023;
/** "0,2-4", a number or a list of numbers, as ascending numbers. */
export const cpuList = leaf<string | number | readonly number[], number[]>(
  `CPU numbers from 0 to ${MAX_CPU}, such as "0,2-4"`,
  {
    anyOf: [
      { type: "string", pattern: String.raw`^\d+(-\d+)?(,\d+(-\d+)?)*$` },
      { type: "integer", minimum: 0, maximum: MAX_CPU },
      { type: "array", items: { type: "integer", minimum: 0, maximum: MAX_CPU }, minItems: 1 },
    ],
  },
  (value) => {
    const cpus = new Set<number>();
    for (const part of Array.isArray(value) ? value : String(value).split(",")) {
      const match = /^\s*(\d{1,5})(?:-(\d{1,5}))?\s*$/.exec(String(part));
      const first = Number(match?.[1] ?? -1);
      const last = Number(match?.[2] ?? first);
      if (match === null || last < first || last > MAX_CPU) return undefined;
      for (let cpu = first; cpu <= last; cpu++) cpus.add(cpu);
    }
    return cpus.size === 0 ? undefined : [...cpus].sort((a, b) => a - b);
  },
);

export const instanceName = text("1 to 64 characters A-Z a-z 0-9 . _ -", (value) => {
  if (value === "." || value === "..") return "cannot be '.' or '..'";
  return /^[A-Za-z0-9._-]{1,64}$/.test(value) ? null : `must be 1 to 64 characters A-Z a-z 0-9 . _ -, found '${value}'`;
});

export const startToolCommand = text("a command that contains {command}, such as 'gdb -ex run --args {command}'", (value) =>
  value.includes("{command}") ? null : "does not contain {command}, which is replaced by the process's command",
);

const LOST_POLICIES = ["keep", "stop"] as const;
export const managerLostPolicy = leaf<string, (typeof LOST_POLICIES)[number]>("keep or stop", { enum: [...LOST_POLICIES] }, (value) =>
  LOST_POLICIES.find((policy) => policy === value),
);

/** Processes per second. */
export const startRate = leaf<number, number>(
  "a number of processes per second, from 0.1 to 10000",
  { type: "number", minimum: 0.1, maximum: 10_000, unit: "per second" },
  (value) => (typeof value === "number" && value >= 0.1 && value <= 10_000 ? value : undefined),
);
