// biome-ignore-all lint/suspicious/noThenProperty: it is a key of the configuration.
import type { z } from "zod";
import type { ConfigFeature } from "../../config/config-feature.ts";
import type { Finding } from "../../config/schema/problems.ts";
import { listOf, listOr, orNull, section } from "../../config/schema/schema-kinds.ts";
import { anySize, choice, cpuShare, duration, integer, positiveDuration, text } from "../../config/schema/schema-values.ts";
import { durationText, sizeText } from "../../config/schema/units.ts";
import { type CgroupLimits, type Limit, MAX_DEVICES } from "./contract.ts";
import { LIMIT_ACTIONS, MAX_LIMITS, MEASURES } from "./measures.ts";

/** Time that a figure must be over its limit, if a rule has no `for`, milliseconds: four measurements. */
const DEFAULT_FOR_MS = 30_000;
/** Smallest memory limit of a cgroup, bytes: with less, no program starts. */
const MIN_CGROUP_MEMORY = 1_048_576;

const limit = section(
  {
    memory: orNull("Memory of the process and its descendants.", anySize),
    cpu: orNull("CPU of the process and its descendants: 100% is one CPU.", cpuShare),
    descriptors: orNull("Open descriptors of the process and its descendants.", integer(1, 1_000_000_000)),
    run_time: orNull("Time since the start of the run.", positiveDuration),
    log_growth: orNull("Bytes a second that the process writes to its terminal, and so to its log file.", anySize),
    for: orNull("How long the figure must be over the limit without a break. Default 30s; not for run_time.", duration),
    then: choice(...LIMIT_ACTIONS).meta({
      description:
        "notify: the process needs attention. restart: the run is stopped and counts as failed, and another one follows as often as restart.max_restarts allows, also with the policy never. stop: the process is stopped, as by a user.",
    }),
  },
  { allowed: `a mapping with one of the keys ${MEASURES.join(", ")}, and then`, check: checkLimit },
);

function checkLimit(values: ReadonlyMap<string, unknown>, report: (finding: Finding) => void): void {
  const measures = MEASURES.filter((measure) => values.has(measure));
  if (measures.length !== 1)
    report({
      path: [],
      message: `must have exactly one of the keys ${MEASURES.join(", ")}${measures.length === 0 ? "" : `, found ${measures.join(", ")}`}`,
      at: "key",
    });
  if (values.has("run_time") && values.has("for"))
    report({ path: ["for"], message: "has no meaning with run_time, which is a time itself" });
}

const none = choice("none").transform(() => null);
const limits = listOr(
  none,
  listOf("limits", limit, { maxItems: MAX_LIMITS }).refine((list) => list.length <= MAX_LIMITS, {
    error: `must be at most ${MAX_LIMITS} limits`,
  }),
  (value) => typeof value === "string",
);

const device = section(
  {
    device: text("the path of a block device such as /dev/nvme0n1, or its numbers such as 259:0", (value) =>
      /^(\/.+|\d+:\d+)$/.test(value) ? null : "is neither a path that begins with / nor a pair of numbers such as 259:0",
    ),
    read: orNull("Bytes a second that may be read.", anySize),
    write: orNull("Bytes a second that may be written.", anySize),
  },
  {
    check: (values, report) => {
      if (!values.has("read") && !values.has("write"))
        report({ path: [], message: "must have at least one of the keys read, write", at: "key" });
    },
  },
);
const devices = listOf("devices with their limits", device, { maxItems: MAX_DEVICES }).refine((list) => list.length <= MAX_DEVICES, {
  error: `must be at most ${MAX_DEVICES} devices`,
});

const cgroup = section(
  {
    memory_high: orNull("The cgroup's memory.high: above this, the kernel slows the process and reclaims its memory.", anySize),
    memory_max: orNull("The cgroup's memory.max: above this, the kernel kills a process of the run.", anySize),
    cpu_max: orNull("The cgroup's cpu.max: the most CPU of all processes of the run together; 100% is one CPU.", cpuShare),
    io_max: orNull("The cgroup's io.max: the most bytes a second of block devices.", devices),
  },
  {
    allowed: "a mapping with the keys memory_high, memory_max, cpu_max, io_max, or none",
    check: (values, report) => {
      for (const key of ["memory_high", "memory_max"] as const) {
        const read = anySize.safeParse(values.get(key));
        if (read.success && read.data < MIN_CGROUP_MEMORY)
          report({ path: [key], message: "must be at least 1MiB: with less, no program starts" });
      }
    },
  },
);

const shared = {
  limits_act: orNull(
    "Limits that act: what happens when a figure of the process is over a limit for a time, see docs/limits.md. Of 'defaults', templates and the process, the last list counts as a whole; none: no limits.",
    limits,
  ),
  cgroup: orNull(
    "Limits that the kernel enforces on the run's own cgroup, where the host has a writable cgroup v2, see docs/limits.md. Of 'defaults', templates and the process, the last one counts as a whole; none: no limits.",
    listOr(none, cgroup, (value) => typeof value === "string"),
  ),
};
type SharedKeys = z.output<z.ZodObject<typeof shared>>;

/** The part of a process's definition about limits. */
type LimitsDefinition = {
  readonly limits_act: readonly Limit[];
  /** Null: the kernel limits nothing. */
  readonly cgroup: CgroupLimits | null;
};

export const limitsConfig = {
  shared,
  appliedAtOnce: ["limits_act", "cgroup"],
  resolveProcess: ({ limits_act, cgroup }: SharedKeys): LimitsDefinition => ({
    limits_act: (limits_act ?? []).flatMap((read) => {
      const measure = MEASURES.find((each) => read[each] !== null);
      const above = measure === undefined ? null : read[measure];
      if (measure === undefined || above === null) return [];
      return { measure, above, for_ms: measure === "run_time" ? 0 : (read.for ?? DEFAULT_FOR_MS), action: read.then };
    }),
    cgroup: cgroup && { ...cgroup, io_max: [...(cgroup.io_max ?? [])] },
  }),
  describeProcess: ({ limits_act, cgroup }: LimitsDefinition) => ({
    limits_act:
      limits_act.length === 0
        ? null
        : limits_act.map(({ measure, above, for_ms, action }) => ({
            [measure]: DESCRIBED[measure](above),
            ...(measure === "run_time" ? {} : { for: durationText(for_ms) }),
            then: action,
          })),
    cgroup: cgroup && describeCgroup(cgroup),
  }),
} satisfies ConfigFeature;

const DESCRIBED = {
  memory: sizeText,
  cpu: (percent: number) => `${percent}%`,
  descriptors: (count: number) => count,
  run_time: durationText,
  log_growth: sizeText,
};

/** The keys that are set, as in the configuration. */
function describeCgroup({ memory_high, memory_max, cpu_max, io_max }: CgroupLimits): Record<string, unknown> {
  return {
    ...(memory_high === null ? {} : { memory_high: sizeText(memory_high) }),
    ...(memory_max === null ? {} : { memory_max: sizeText(memory_max) }),
    ...(cpu_max === null ? {} : { cpu_max: `${cpu_max}%` }),
    ...(io_max.length === 0
      ? {}
      : {
          io_max: io_max.map(({ device, read, write }) => ({
            device,
            ...(read === null ? {} : { read: sizeText(read) }),
            ...(write === null ? {} : { write: sizeText(write) }),
          })),
        }),
  };
}
