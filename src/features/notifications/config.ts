import type { z } from "zod";
import { didYouMean } from "../../base/text/suggest.ts";
import { hasLength } from "../../base/text/text-length.ts";
import type { ConfigFeature } from "../../config/config-feature.ts";
import type { Finding } from "../../config/schema/problems.ts";
import { defaulted, entriesOf, leaf, listOf, namedMap, orNull, Refusal, section } from "../../config/schema/schema-kinds.ts";
import { choice, duration, flag, integer, positiveDuration, text } from "../../config/schema/schema-values.ts";
import { tag } from "../tags/tag.ts";
import { sizeOf, way } from "./config-ways.ts";
import { KINDS } from "./kinds.ts";
import { MAX_RULES, MAX_WAYS } from "./limits.ts";

const MAX_PATTERN_CHARS = 1_024;
const pattern = text("a name or pattern of at most 1024 characters", (value) =>
  value.length <= MAX_PATTERN_CHARS ? null : `has more than ${MAX_PATTERN_CHARS} characters`,
);
const kind = leaf<string, string>(`one of ${Object.keys(KINDS).join(", ")}`, { enum: Object.keys(KINDS) }, (value) => {
  if (typeof value !== "string") return undefined;
  return Object.hasOwn(KINDS, value)
    ? value
    : new Refusal(
        `is not a kind of condition: '${value}'${didYouMean(value, Object.keys(KINDS)) || `; there are ${Object.keys(KINDS).join(", ")}`}`,
      );
});

/** A part of each day, in minutes since midnight by the manager's local time; `from` is after `until` if midnight lies between. */
export interface DayPart {
  readonly from: number;
  readonly until: number;
}
const DAY_PART = /^([01]\d|2[0-3]):([0-5]\d)-([01]\d|2[0-3]|24):([0-5]\d)$/;
const dayPart = leaf<string, DayPart>('hours such as "22:00-07:00"', { type: "string", pattern: DAY_PART.source }, (value) => {
  const [, ...parts] = (typeof value === "string" && DAY_PART.exec(value)) || [];
  const [fromHour = Number.NaN, fromMinute = 0, hour = 0, minute = 0] = parts.map(Number);
  const [from, until] = [60 * fromHour + fromMinute, 60 * hour + minute];
  if (Number.isNaN(from) || until > 1_440) return undefined;
  return from === until ? new Refusal("begins and ends at the same time") : { from, until };
});

const rule = section({
  name: orNull(
    "Name in the page and in the history. Default: rule-1 and so on, by its place.",
    text("a name of at most 64 characters", nameProblem),
  ),
  on: orNull("Kinds of conditions. Default: all.", listOf("kinds", kind)),
  processes: orNull(
    "Processes, groups and patterns such as 'sim/*'. Default: all, and what is about no process.",
    listOf("names and patterns", pattern),
  ),
  tags: orNull("Only processes that have one of these tags.", listOf("tags", tag)),
  hosts: orNull("Only what is about these hosts, or about processes on them: names and patterns.", listOf("names and patterns", pattern)),
  ways: listOf("names of ways", text("the name of a way"), { minItems: 1 }).meta({ description: "Where its notifications go." }),
  for: defaulted("How long a condition must last before it counts. Default {}.", duration, "0s"),
  group_by: defaulted(
    "Conditions that go into one notification: those of the rule, of one kind, of one group, of one host, or each process by itself. Default {}.",
    choice("rule", "kind", "group", "host", "process"),
    "rule",
  ),
  group_wait: defaulted("How long a notification waits for further conditions. Default {}.", duration, "5s"),
  at_most: defaulted(
    "Notifications of the rule within the time of 'within'; later ones wait and are put together. Default {}.",
    integer(1, 10_000),
    20,
  ),
  within: defaulted("Time for 'at_most'. Default {}.", positiveDuration, "1h"),
  repeat: orNull("Time after which a condition that lasts is notified again. Default: never.", positiveDuration),
  quiet: defaulted(
    'Hours of each day, by the manager\'s local time, in which nothing is sent, such as ["22:00-07:00"]; it is sent in one notification when they are over.',
    listOf("hours", dayPart),
    [],
  ),
  recovered: defaulted("Also notify when a condition is over. Default {}.", flag, true),
});
export type RuleDefinition = Readonly<z.output<typeof rule>>;

const notifications = section(
  {
    ways: defaulted(
      `Where notifications are sent, by name; at most ${MAX_WAYS}.`,
      namedMap("a mapping from names to ways", way, nameProblem),
      {},
    ),
    rules: defaulted(`Which conditions are notified, and how; at most ${MAX_RULES}.`, listOf("rules", rule), []),
  },
  { check: checkTogether },
);
export type NotificationSettings = Readonly<z.output<typeof notifications>>;

function checkTogether(values: ReadonlyMap<string, unknown>, report: (finding: Finding) => void): void {
  const ways = entriesOf(values.get("ways") ?? null) ?? new Map<string, unknown>();
  if (sizeOf(ways) > MAX_WAYS) report({ path: ["ways"], message: `has ${ways.size} ways; at most ${MAX_WAYS} are allowed` });
  const rules = values.get("rules");
  if (!Array.isArray(rules)) return;
  if (rules.length > MAX_RULES) report({ path: ["rules"], message: `has ${rules.length} rules; at most ${MAX_RULES} are allowed` });
  const names: unknown[] = rules.map((each: unknown, index) => entriesOf(each)?.get("name") ?? ruleName(index));
  for (const [index, each] of rules.entries()) {
    if (names.indexOf(names[index]) < index)
      report({ path: ["rules", index], message: `another rule has the name '${String(names[index])}', too` });
    const used = entriesOf(each)?.get("ways");
    if (!Array.isArray(used)) continue;
    if (used.length === 0) report({ path: ["rules", index, "ways"], message: "must name at least one way" });
    for (const [at, name] of used.entries())
      if (typeof name === "string" && !ways.has(name))
        report({ path: ["rules", index, "ways", at], message: `there is no way '${name}'${didYouMean(name, [...ways.keys()])}` });
  }
}

/** Name of a rule without one, by its place. */
export const ruleName = (index: number): string => `rule-${index + 1}`;

function nameProblem(name: string): string | null {
  return hasLength(name, 1, 64) ? null : "must have 1 to 64 characters";
}

export const notificationsConfig = {
  file: { notifications: defaulted("Who is notified of problems, and how (docs/notifications.md).", notifications, {}) },
  secretKeys: ["webhook", "routing_key"],
} satisfies ConfigFeature;
