import { digestOf } from "../trail/chain.ts";

/** Longest text that is recorded as it is, characters. */
const MAX_TEXT_CHARS = 1_024;
/** Longest arguments of one command, characters of their JSON. */
const MAX_ARGUMENTS_CHARS = 8_192;
const REDACTED = "***";
/** Names whose values are secret, as in configuration files (src/config/redact.ts). */
const SECRET_NAME = /token|passw|secret|credential|api_?key/i;
/** A secret in a command line: `API_TOKEN=…`, `--password …`. */
const SECRET_WORD = /((?:^|[\s"'])(?:--?)?[\w-]*(?:token|passw|secret|credential|api[_-]?key)[\w-]*(?:=|\s+))("[^"]*"|'[^']*'|[^\s"']+)/gi;

/** The arguments of a command as they are recorded: without secrets, and long ones by size and hash. */
export function recordedArguments(
  args: Readonly<Record<string, unknown>>,
  secrets: readonly string[],
): Record<string, unknown> | undefined {
  const entries = Object.entries(args).filter(([, value]) => value !== undefined);
  if (entries.length === 0) return undefined;
  const recorded = Object.fromEntries(
    entries.map(([name, value]) => [name, secrets.includes(name) ? summaryOf(textOf(value)) : recordedValue(name, value)]),
  );
  const text = JSON.stringify(recorded);
  return text.length <= MAX_ARGUMENTS_CHARS ? recorded : { arguments: summaryOf(text) };
}

/** Size and hash of a text. */
export function summaryOf(text: string): { readonly bytes: number; readonly sha256: string } {
  return { bytes: Buffer.byteLength(text), sha256: digestOf(text) };
}

function recordedValue(name: string, value: unknown): unknown {
  if (SECRET_NAME.test(name)) return REDACTED;
  // The values of an environment are secret, its names are not.
  if (name === "environment" && isMapping(value)) return Object.fromEntries(Object.keys(value).map((key) => [key, REDACTED]));
  if (typeof value === "string") return recordedText(value);
  if (typeof value !== "object" || value === null) return value;
  const text = JSON.stringify(value);
  if (text.length > MAX_ARGUMENTS_CHARS) return summaryOf(text);
  if (Array.isArray(value)) return value.map((item: unknown) => recordedValue("", item));
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, recordedValue(key, item)]));
}

function recordedText(text: string): unknown {
  return text.length > MAX_TEXT_CHARS ? summaryOf(text) : text.replace(SECRET_WORD, `$1${REDACTED}`);
}

const textOf = (value: unknown): string => (typeof value === "string" ? value : JSON.stringify(value));
const isMapping = (value: unknown): value is object => typeof value === "object" && value !== null && !Array.isArray(value);
