import { z } from "zod";
import { isShallow, MAX_JSON_LEVELS } from "../../base/json.ts";
import { hasLength } from "../../base/text/text-length.ts";
import { LOG_LEVELS } from "../resources/log-level.ts";

/** Maximum length of the name of a process, group, topic, service, logger, host; characters (code points). */
const MAX_NAME_CHARS = 255;
/** Maximum length of an fnmatch pattern, characters (docs/design/wire-rules.md, "Output"). */
const MAX_PATTERN_CHARS = 1_024;
/** Maximum length of a command line or parameter value, characters: the limit of Linux for one argument. */
const MAX_COMMAND_CHARS = 131_072;

/** Each kind has one error message for all invalid values. It follows a prefix such as "'lines' of 'get_process_output'". */
export function text(minimum: number, maximum: number, says = `must be a string of ${minimum} to ${maximum} characters`) {
  return (
    z
      .string({ error: says })
      .refine((value) => hasLength(value, minimum, maximum), { error: says })
      // Not `meta`, which would copy the schema and keep both.
      .register(z.globalRegistry, { minLength: minimum, maxLength: maximum })
  );
}

export function integer(minimum: number, maximum: number) {
  const error = `must be an integer from ${minimum} to ${maximum}`;
  return z.int({ error }).min(minimum, { error }).max(maximum, { error });
}

/** A count: a larger value than `maximum` is read as `maximum` (docs/design/wire-rules.md, "Conventions for every frame"). */
export function count(maximum: number) {
  const error = `must be an integer of at least 1 (more than ${maximum} is taken as ${maximum})`;
  return z
    .number({ error })
    .refine(Number.isInteger, { error })
    .min(1, { error })
    .overwrite((value) => Math.min(value, maximum))
    .register(z.globalRegistry, { type: "integer" });
}

/** Like `count`, with fractions: seconds, rates. */
export function amount(maximum: number) {
  const error = `must be a number of at least 1 (more than ${maximum} is taken as ${maximum})`;
  return z
    .number({ error })
    .min(1, { error })
    .overwrite((value) => Math.min(value, maximum));
}

/** Minimum duration of a measurement, seconds. */
const MIN_SAMPLE_SECONDS = 0.1;
/** Maximum duration of a measurement, seconds. */
export const MAX_SAMPLE_SECONDS = 60;

/** A number from 0 on; a value outside of the limits is read as the nearest limit. */
export function sampleSeconds() {
  const error = `must be a number of at least 0 (less than ${MIN_SAMPLE_SECONDS} is taken as ${MIN_SAMPLE_SECONDS}, more than ${MAX_SAMPLE_SECONDS} as ${MAX_SAMPLE_SECONDS})`;
  return z
    .number({ error })
    .min(0, { error })
    .overwrite((value) => Math.max(MIN_SAMPLE_SECONDS, Math.min(value, MAX_SAMPLE_SECONDS)));
}

export const flag = z.boolean({ error: "must be true or false" });

export const objectName = text(1, MAX_NAME_CHARS);
export const processName = objectName.describe("Name of a process.");
export const groupName = objectName.describe("Name of a group.");
export const hostName = objectName.describe("Any name of the host: canonical name, alias or node alias.");

export const pattern = text(1, MAX_PATTERN_CHARS).describe("fnmatch pattern: `*`, `?`, `[seq]`, `[!seq]`; `*` and `?` also match `/`.");

const commandSays = `must be a string of at most ${MAX_COMMAND_CHARS} characters without NUL, or null`;
/** A command line; null or "" clears the override. */
export const commandOverride = z
  .string({ error: commandSays })
  .refine((value) => hasLength(value, 0, MAX_COMMAND_CHARS) && !value.includes("\0"), { error: commandSays })
  .meta({ maxLength: MAX_COMMAND_CHARS })
  .nullable();

export const label = text(1, 64).describe("Label of an alternate command; `default` is the primary one.");

export const parameterValue = text(0, MAX_COMMAND_CHARS);

export const logLevel = z.enum(LOG_LEVELS, { error: `must be one of ${LOG_LEVELS.join(", ")}` });

const requestIdSays = "must be a string of 1 to 64 characters or a safe integer";
export const requestId = z
  .union([z.int({ error: requestIdSays }), text(1, 64, requestIdSays)], { error: requestIdSays })
  .meta({ id: "RequestId", description: "Chosen by the client, echoed by the answer." });
export type RequestId = z.infer<typeof requestId>;

export const timestamp = z
  .string()
  .regex(/^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}$/)
  .meta({ id: "Timestamp", description: "UTC, milliseconds, no zone: 2026-11-21T08:14:02.123." });

const tooDeep = `must be a JSON value of at most ${MAX_JSON_LEVELS} levels`;
export const jsonValue = z.unknown().refine((value) => value !== undefined && isShallow(value), { error: tooDeep });
