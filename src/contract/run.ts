import { hash } from "node:crypto";
import { z } from "zod";
import { MAX_DURATION_MS } from "../base/timing/clock.ts";
import { FEATURE_PROBES, FEATURE_RUN } from "../features/contract.ts";
import { runId } from "./fields.ts";
import { runSettings } from "./run-settings.ts";
import { supervision } from "./supervision.ts";

const duration = z.int().min(0).max(MAX_DURATION_MS);

/** Words to execute directly, or a line for `/bin/sh -c`. */
const program = z.discriminatedUnion("kind", [
  z.strictObject({ kind: z.literal("exec"), argv: z.array(z.string()).min(1) }),
  z.strictObject({ kind: z.literal("shell"), line: z.string() }),
]);
export type Program = z.infer<typeof program>;

/** Interval between attempts of a probe, and time-out of one attempt. */
const pace = { interval_ms: duration.min(1), timeout_ms: duration.min(1) };

/** A check that the host repeats on the machine of the process. */
const probes = [
  /** Succeeds when a connection is accepted. */
  z.strictObject({ kind: z.literal("tcp"), host: z.string().min(1), port: z.int().min(1).max(65_535), ...pace }),
  /** Succeeds when a GET is answered with `status`; null accepts 200 to 299. `headers` are added to the request. */
  z.strictObject({
    kind: z.literal("http"),
    url: z.string(),
    status: z.int().min(100).max(599).nullable(),
    headers: z.record(z.string(), z.string()),
    ...pace,
  }),
  /** Succeeds when the program, run with the process's folder, user and environment, exits with code 0. */
  z.strictObject({ kind: z.literal("exec"), program, ...pace }),
  ...FEATURE_PROBES,
] as const;
export type Probe = z.infer<(typeof probes)[number]>;
export type FeatureProbe = z.infer<(typeof FEATURE_PROBES)[number]>;

const readyCondition = z.discriminatedUnion("kind", [
  z.strictObject({
    kind: z.literal("regex"),
    /** Source of a JavaScript regular expression (flag `u`), tested against the run's decoded output. */
    pattern: z.string(),
  }),
  z.strictObject({ kind: z.literal("time"), ms: duration }),
  ...probes,
]);
export type ReadyCondition = z.infer<typeof readyCondition>;

/**
 * A probe that is checked from readiness on, or from the start if there is no ready condition. After `failures` failures in a row the run has
 * failed.
 */
const liveness = z.strictObject({ probe: z.discriminatedUnion("kind", [...probes]), failures: z.int().min(1) });
export type Liveness = z.infer<typeof liveness>;

/**
 * One step of a stop: a signal to send, a program to run, or text to type; then how long to wait for extinction before
 * the next step.
 */
export const stopStep = z.union([
  z.strictObject({ signal: z.string(), timeout_ms: duration }),
  z.strictObject({ program, timeout_ms: duration }),
  z.strictObject({ send: z.string().min(1), timeout_ms: duration }),
]);
export type StopStep = z.infer<typeof stopStep>;

/** The failure for which a run is stopped. `recycled`: another run follows under every restart policy. */
export const stopCause = z.object({ reason: z.string().max(1_000), recycled: z.boolean() });
export type ReportedStopCause = z.infer<typeof stopCause>;

/** A copy of the output, rotated: `path`, then `path.1` (the newest old one) … */
export const logFile = z.strictObject({
  /** Absolute, or relative to `base_dir`. */
  path: z.string().min(1),
  /** Size at which the file is rotated, bytes. */
  max_size: z.int().min(1_024),
  /** Maximum number of files, the current one included. */
  max_files: z.int().min(1),
  /** Mode of new files; by default only their owner may read them. */
  mode: z.int().min(0).max(0o777).exactOptional(),
});
export type LogFile = z.infer<typeof logFile>;

/** Values of a process without special settings. */
export const PLAIN_RUN = {
  env_files: [],
  user: null,
  umask: null,
  limits: {},
  scheduling: null,
  alive: null,
  watch: [],
  log_file: null,
} satisfies Partial<RunSpec>;

/**
 * Everything a host needs to run a process; it does not change after the spawn. The manager has resolved templates, defines and overrides.
 * The host resolves what depends on its file system and environment (cwd, pass_environment, PATH, user, files).
 */
export const runSpec = z.strictObject({
  name: z.string(),
  /** The command as shown to users. */
  command: z.string(),
  program,
  ...runSettings,
  terminal: z.strictObject({
    rows: z.int().min(1).max(65_535),
    cols: z.int().min(1).max(65_535),
    /** Bytes of output kept in the ring. */
    backlog: z.int().min(4_096),
  }),
  ready: readyCondition.nullable(),
  /** The stop steps that the host carries out without a manager. */
  stop: z.array(stopStep).min(1),
  /** Order of stopping without a manager: the host stops higher numbers first and waits for them. */
  stop_rank: z.int().min(0),
  alive: liveness.nullable(),
  /** picomatch globs, absolute or relative to `base_dir`: the process is restarted when a file that matches changes. */
  watch: z.array(z.string()),
  log_file: logFile.nullable(),
  /** Whether the newest output is also kept on the host's disk. */
  output_on_disk: z.literal(true).exactOptional(),
  /** How the host supervises the process without a manager; omitted: it does not start it again. */
  supervision: supervision.exactOptional(),
  ...FEATURE_RUN,
});
export type RunSpec = z.infer<typeof runSpec>;

/**
 * Hash of a spec: if two are equal, a restart would change nothing in the run. Inherited environment, terminal size, supervision and fields of
 * features are not included.
 */
export function specHash(spec: RunSpec): string {
  const counted: Record<string, unknown> = { backlog: spec.terminal.backlog };
  for (const [name, value] of Object.entries(spec)) if (!UNCOUNTED.has(name)) counted[name] = value;
  return hash("sha256", canonicalJson(counted), "hex").slice(0, 16);
}

const LEFT_OUT = ["inherited", "stop_rank", "supervision", "terminal"] satisfies (keyof RunSpec)[];
const UNCOUNTED: ReadonlySet<string> = new Set([...LEFT_OUT, ...Object.keys(FEATURE_RUN)]);

function canonicalJson(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (value !== null && typeof value === "object") {
    const items = value as Readonly<Record<string, unknown>>;
    const names = Object.keys(items).sort();
    return `{${names.map((name) => `${JSON.stringify(name)}:${canonicalJson(items[name])}`).join(",")}}`;
  }
  return JSON.stringify(value);
}

/** How a run's leader ended: `code` and `signal` from waitpid, or `reason` if it never ran. */
export const runExit = z.strictObject({
  code: z.int().nullable(),
  signal: z.string().nullable(),
  reason: z.string().nullable(),
});
export type RunExit = z.infer<typeof runExit>;

/**
 * What a feature of the host checks while a run lives, for dependencies that wait for it and for readers. The run meets `condition` if it has
 * checks of that name, and none of them has a problem.
 */
export const runCheck = z.strictObject({
  condition: z.string().max(64),
  /** The object that is checked, such as the name of a topic. */
  about: z.string().max(1_024),
  /** Null: the check holds. */
  problem: z.string().max(1_000).nullable(),
  /** Since when it holds, or does not: host wall clock, milliseconds since 1970. */
  since: z.number(),
});
export type RunCheck = z.infer<typeof runCheck>;

/** Maximum number of checks of one run. */
const MAX_CHECKS = 16;

/** Whether a run that has these checks meets a condition. */
export function meetsCondition(checks: readonly RunCheck[] | undefined, condition: string): boolean {
  const about = checks?.filter((check) => check.condition === condition) ?? [];
  return about.length > 0 && about.every(({ problem }) => problem === null);
}

/**
 * The state of the newest run of one name, as the host knows it. A run is `alive` until its leader ended, and
 * `extinct` once nothing of its tree is left. Ages are monotonic milliseconds at the moment of the report.
 */
export const runReport = z.strictObject({
  name: z.string(),
  run_id: runId,
  spec_hash: z.string(),
  /** The command as shown to users. */
  command: z.string(),
  pid: z.int(),
  /** Host wall clock, milliseconds since 1970. */
  start_time: z.number(),
  stop_time: z.number().nullable(),
  age_ms: z.number(),
  /** Latched: once true it stays true for the run. */
  ready: z.boolean(),
  /** Latched: why its liveness probe failed, `failures` times in a row. */
  unhealthy: z.string().max(1_000).nullable(),
  /** Absolute path of the file that matches the `watch` globs and changed last since the run began. */
  changed_file: z.string().max(4_096).nullable(),
  /** Whether a stop command is being carried out. */
  stopping: z.boolean(),
  /** The failure for which it is being stopped, or was. Omitted: none, or a stop or restart was requested. */
  stop_cause: stopCause.exactOptional(),
  exit: runExit.nullable(),
  extinct: z.boolean(),
  /** Ring offset of the run's first byte. */
  first_offset: z.int(),
  /** Ring offset after the run's last byte, once it has ended. */
  final_offset: z.int().nullable(),
  rows: z.int(),
  cols: z.int(),
  /** Restart counters and notes of the manager, which outlive its crash (contract/run-memo.ts), at most 4 KiB. */
  memo: z.string().max(4_096),
  /** Omitted: no feature has checked it yet. */
  checks: z.array(runCheck).max(MAX_CHECKS).exactOptional(),
});
export type RunReport = z.infer<typeof runReport>;
