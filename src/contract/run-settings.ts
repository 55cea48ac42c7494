import { z } from "zod";

/**
 * Names of setrlimit(2) in lower case, without RLIMIT_; not `locks`: the kernel has not enforced it since Linux 2.4, and hosts use it to
 * tag runs (docs/decisions/0006).
 */
export const LIMIT_NAMES = [
  "as",
  "core",
  "cpu",
  "data",
  "fsize",
  "memlock",
  "msgqueue",
  "nice",
  "nofile",
  "nproc",
  "rss",
  "rtprio",
  "rttime",
  "sigpending",
  "stack",
] as const;
export type LimitName = (typeof LIMIT_NAMES)[number];

/** A limit in the kernel's unit (bytes, seconds, a count); null is unlimited. */
const limitValue = z.int().min(0).nullable();
const limit = z.strictObject({ soft: limitValue, hard: limitValue });
export type Limit = z.infer<typeof limit>;

/** Scheduling of a process; null keeps the host's value. */
const scheduling = z.strictObject({
  /** The number of the policy in Linux (src/base/scheduling-policies.ts). */
  policy: z.int().nullable(),
  /** Priority for FIFO and RR, 1 to 99. */
  prio: z.int().min(0).max(99).nullable(),
  /** CPU numbers, ascending. */
  affinity: z.array(z.int().min(0)).min(1).nullable(),
  nice: z.int().min(-20).max(19).nullable(),
});
export type Scheduling = z.infer<typeof scheduling>;

/** The settings that a process gets from its spec before its program is executed. The host resolves what depends on its file system, users and environment. */
export const runSettings = {
  /** Absolute, or relative to `base_dir`. */
  cwd: z.string(),
  /** Folder of the configuration file; "" on hosts that have none: then the daemon's own working directory. */
  base_dir: z.string(),
  /** Variables set for the child; they take precedence over everything else. */
  environment: z.record(z.string(), z.string()),
  /** Names to inherit in addition to the standard ones; a trailing `*` matches the rest of a name. */
  pass_environment: z.array(z.string()),
  /** Inherited variables: from the manager's environment for the local host; null: from the host's own. */
  inherited: z.record(z.string(), z.string()).nullable(),
  /** Files of NAME=value lines, absolute or relative to `base_dir`; later ones override earlier ones, `environment` overrides all. */
  env_files: z.array(z.string()),
  /** Name or number of the user to run as; null: the daemon's own. */
  user: z.string().min(1).nullable(),
  umask: z.int().min(0).max(0o777).nullable(),
  limits: z.partialRecord(z.enum(LIMIT_NAMES), limit),
  scheduling: scheduling.nullable(),
} as const;
export type RunSettings = z.infer<z.ZodObject<typeof runSettings>>;
