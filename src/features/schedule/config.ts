import type { z } from "zod";
import type { ConfigFeature } from "../../config/config-feature.ts";
import type { Names, PartFinding } from "../../config/load/names.ts";
import { defaulted, entriesOf, listOr, orNull, section } from "../../config/schema/schema-kinds.ts";
import { choice, duration, flag, text } from "../../config/schema/schema-values.ts";
import { durationText } from "../../config/schema/units.ts";
import { cronProblem, isTimezone } from "./cron-times.ts";
import { OVERLAPS, type Schedule } from "./schedule.ts";

/** Shortest period, milliseconds: a process that is started more often should run all the time. */
const MIN_PERIOD_MS = 1_000;

const schedule = section(
  {
    cron: orNull(
      "Times as a cron expression: minute, hour, day of month, month, day of week, with seconds before them if it has six fields; or @hourly, @daily, @weekly, @monthly, @yearly.",
      text("a cron expression such as '0 3 * * *'", (value) => cronProblem(value, Date.now())),
    ),
    timezone: orNull(
      "Time zone of 'cron', such as Europe/Berlin or UTC. Default: that of the manager.",
      text("a time zone such as Europe/Berlin or UTC", (value) => (isTimezone(value) ? null : `is not a known time zone: '${value}'`)),
    ),
    every: orNull("Time from one start to the next, at least 1s.", duration),
    overlap: defaulted(
      "What happens when a run is due and the one before has not ended. skip: the run is left out. queue: it begins when the one before has ended; at most one waits. kill: the one before is stopped first. Default {}.",
      choice(...OVERLAPS),
      "skip",
    ),
    catch_up: defaulted(
      "Whether one run is made up for when runs were missed because the manager did not run, the machine was suspended or the host was away. Default {}.",
      flag,
      false,
    ),
  },
  {
    allowed: "a mapping with one of the keys cron, every, or none",
    check: (values, report) => {
      if (values.has("cron") === values.has("every"))
        report({
          path: [],
          message: `must have exactly one of the keys cron, every${values.has("cron") ? ", found both" : ""}`,
          at: "key",
        });
      if (values.has("timezone") && !values.has("cron"))
        report({ path: ["timezone"], message: "has a meaning with cron only: 'every' counts time, whatever the clock shows" });
      const period = duration.safeParse(values.get("every"));
      if (period.success && period.data < MIN_PERIOD_MS) report({ path: ["every"], message: "must be at least 1s" });
    },
  },
);

const none = choice("none").transform(() => null);
const process = {
  schedule: orNull(
    "When the process is started, again and again, see docs/schedules.md. Of templates and the process, the last one counts as a whole; none: it is started by requests alone.",
    listOr(none, schedule, (value) => value === "none"),
  ),
};
type ProcessKeys = z.output<z.ZodObject<typeof process>>;

/** The part of a process's definition about its schedule. */
type ScheduleDefinition = {
  /** Null: it is started by requests alone. */
  readonly schedule: Schedule | null;
};

export const scheduleConfig = {
  process,
  appliedAtOnce: ["schedule"],
  resolveProcess: ({ schedule }: ProcessKeys): ScheduleDefinition => ({ schedule: schedule && resolve(schedule) }),
  describeProcess: ({ schedule }: ScheduleDefinition) => ({ schedule: schedule && describe(schedule) }),
  checkReferences: checkPolicies,
} satisfies ConfigFeature;

function resolve({ cron, timezone, every, overlap, catch_up }: z.output<typeof schedule>): Schedule {
  return {
    timing: cron === null ? { kind: "every", period_ms: every ?? 0 } : { kind: "cron", pattern: cron, timezone },
    overlap,
    catch_up,
  };
}

function describe({ timing, overlap, catch_up }: Schedule): Record<string, unknown> {
  const times =
    timing.kind === "every"
      ? { every: durationText(timing.period_ms) }
      : { cron: timing.pattern, ...(timing.timezone === null ? {} : { timezone: timing.timezone }) };
  return { ...times, overlap, catch_up };
}

/** Refuses the restart policy `always` of a process with a schedule: it would start the process again as soon as it has ended. */
function checkPolicies(names: Names): PartFinding[] {
  const defaults = entriesOf(names.main.get("defaults") ?? null);
  return [...names.processes.keys()].flatMap((name) => {
    const sections = names.sections(name);
    const holder = sections.findLast(({ settings }) => settings.has("schedule"));
    if (holder === undefined || holder.settings.get("schedule") === "none") return [];
    const layers = [defaults ?? new Map<string, unknown>(), ...sections.map(({ settings }) => settings)];
    const policies = layers.flatMap((settings) => entriesOf(settings.get("restart") ?? null)?.get("policy") ?? []);
    if (policies.at(-1) !== "always") return [];
    const message = `needs another restart policy: with 'always', '${name}' would start again as soon as it has ended; set restart.policy to on-failure or never`;
    return [names.finding([...holder.path, "schedule"], message, "key")];
  });
}
