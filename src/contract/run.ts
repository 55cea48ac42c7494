import { createHash } from "node:crypto";
import { z } from "zod";

/** A run is one execution of a process. Its id is `<epoch>-<n>`: the manager's boot epoch and a counter of that boot. */
export const runId = z.string().regex(/^\d{1,15}-\d{1,15}$/);
export type RunId = string;

/** How long a `setTimeout` can be trusted with (32-bit milliseconds). */
export const MAX_DURATION_MS = 24 * 24 * 3_600_000;
const duration = z.number().int().min(0).max(MAX_DURATION_MS);

export const readyCondition = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("regex"),
    /** Source of a JavaScript regular expression (flag `u`), tested against the run's decoded output. */
    pattern: z.string(),
  }),
  z.strictObject({ kind: z.literal("time"), ms: duration }),
]);
export type ReadyCondition = z.infer<typeof readyCondition>;

/** One step of a stop: what to send, then how long to wait for extinction before the next step. */
export const stopStep = z.strictObject({ signal: z.string(), timeout_ms: duration });
export type StopStep = z.infer<typeof stopStep>;

/**
 * Everything a host has to know to run a process, frozen at spawn. The manager has resolved templates, defines,
 * overrides; the host resolves what lies in its own file system and environment (cwd, pass_environment, PATH).
 */
export const runSpec = z.strictObject({
  name: z.string(),
  /** The command as a person reads it. */
  command: z.string(),
  /** Words to execute directly, or a line for `/bin/sh -c`. */
  program: z.discriminatedUnion("kind", [
    z.strictObject({ kind: z.literal("exec"), argv: z.array(z.string()).min(1) }),
    z.strictObject({ kind: z.literal("shell"), line: z.string() }),
  ]),
  /** Absolute, or relative to `base_dir`. */
  cwd: z.string(),
  /** Folder of the configuration file; "" on hosts that have none: then the daemon's own working directory. */
  base_dir: z.string(),
  /** Set for the child, winning over everything else. */
  environment: z.record(z.string(), z.string()),
  /** Names to inherit beside the standard ones; a trailing `*` matches the rest of a name. */
  pass_environment: z.array(z.string()),
  /** Where inherited values come from: the manager's environment for the local host, null for the host's own. */
  inherited: z.record(z.string(), z.string()).nullable(),
  terminal: z.strictObject({
    rows: z.number().int().min(1).max(65_535),
    cols: z.number().int().min(1).max(65_535),
    /** Bytes of output kept in the ring. */
    backlog: z.number().int().min(4_096),
  }),
  ready: readyCondition.nullable(),
  /** What the host does by itself when it has to stop everything without a manager. */
  stop: z.array(stopStep).min(1),
  /** Order of stopping without a manager: higher numbers stop first, and are waited for. */
  stop_rank: z.number().int().min(0),
});
export type RunSpec = z.infer<typeof runSpec>;

/** Equal hashes: a restart would change nothing. What the environment of the moment adds does not count. */
export function specHash(spec: RunSpec): string {
  const { inherited: _inherited, stop_rank: _rank, ...rest } = spec;
  return createHash("sha256").update(canonicalJson(rest)).digest("hex").slice(0, 16);
}

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
    return `{${entries.map(([key, item]) => `${JSON.stringify(key)}:${canonicalJson(item)}`).join(",")}}`;
  }
  return JSON.stringify(value);
}

/** How a run's leader ended. `code` and `signal` as waitpid gives them; `reason` when it never came to run. */
export const runExit = z.strictObject({
  code: z.number().int().nullable(),
  signal: z.string().nullable(),
  reason: z.string().nullable(),
});
export type RunExit = z.infer<typeof runExit>;

/**
 * The state of the newest run of one name, as the host knows it. A run is `alive` until its leader ended, and
 * `extinct` once nothing of its tree is left. Ages are monotonic milliseconds at the moment of the report.
 */
export const runReport = z.strictObject({
  name: z.string(),
  run_id: runId,
  spec_hash: z.string(),
  pid: z.number().int(),
  /** Host wall clock, milliseconds since 1970. */
  start_time: z.number(),
  stop_time: z.number().nullable(),
  age_ms: z.number(),
  /** Latched: once true it stays true for the run. */
  ready: z.boolean(),
  /** A stop command is being carried out. */
  stopping: z.boolean(),
  exit: runExit.nullable(),
  extinct: z.boolean(),
  /** Ring offset of the run's first byte. */
  first_offset: z.number().int(),
  /** Ring offset after the run's last byte, once it has ended. */
  final_offset: z.number().int().nullable(),
  rows: z.number().int(),
  cols: z.number().int(),
  /** What the manager wants to find again after its own crash: opaque to the host, at most 4 KiB. */
  memo: z.string().max(4_096),
});
export type RunReport = z.infer<typeof runReport>;
