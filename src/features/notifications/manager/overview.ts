import { formatTime } from "../../../protocol/time.ts";
import type { NotificationSettings } from "../config.ts";
import { MAX_HISTORY, MAX_MATCHES } from "../limits.ts";
import type { RuleMatch, RuleOverview, WayOverview } from "../wire.ts";
import type { Deliveries } from "./deliveries/deliveries.ts";
import { kindOf, targetOf } from "./deliveries/ways.ts";
import type { Overview } from "./notifications.ts";
import type { Moment } from "./rules/moment.ts";
import { isQuiet } from "./rules/quiet-hours.ts";
import type { Tracked } from "./rules/rule-state.ts";
import type { NamedRule } from "./rules/rules.ts";
import type { Silences } from "./silences.ts";

interface OverviewParts {
  readonly settings: NotificationSettings;
  readonly rules: readonly NamedRule[];
  readonly now: Moment;
  readonly deliveries: Pick<Deliveries, "waiting" | "history">;
  readonly silences: Pick<Silences, "list" | "holds">;
}

/** Everything that users see of notifications. */
export function overviewOf({ settings, rules, now, deliveries, silences }: OverviewParts): Overview {
  const { waiting, history } = deliveries;
  return {
    ways: [...settings.ways].map(([name, way]): WayOverview => {
      const last = history.find((each) => each.way === name);
      return {
        name,
        kind: kindOf(way),
        target: targetOf(way),
        waiting: waiting.filter((each) => each.way === name).length,
        last_state: last === undefined || last.state === "waiting" ? null : last.state,
        last_time: last?.finished ?? null,
      };
    }),
    rules: rules.map((rule) => ruleOverview(rule, now, silences)),
    silences: silences.list(),
    deliveries: [...waiting.toReversed(), ...history].slice(0, MAX_HISTORY),
  };
}

function ruleOverview({ name, rule, state }: NamedRule, now: Moment, silences: Pick<Silences, "holds">): RuleOverview {
  const matches = [...state.tracked.values()];
  const { on, processes, tags, hosts, ways, group_by, at_most, recovered } = rule;
  return {
    name,
    on: on === null ? null : [...on],
    processes: processes === null ? null : [...processes],
    tags: tags === null ? null : [...tags],
    hosts: hosts === null ? null : [...hosts],
    ways: [...ways],
    for: rule.for / 1_000,
    group_by,
    group_wait: rule.group_wait / 1_000,
    at_most,
    within: rule.within / 1_000,
    repeat: rule.repeat === null ? null : rule.repeat / 1_000,
    quiet: rule.quiet.map(({ from, until }) => `${clockText(from)}-${clockText(until)}`),
    quiet_now: isQuiet(rule.quiet, now.wall),
    recovered,
    matches: matches.slice(0, MAX_MATCHES).map((tracked) => matchOf(tracked, now, silences)),
    more: Math.max(0, matches.length - MAX_MATCHES),
  };
}

function matchOf({ condition, since, phase, at }: Tracked, { wall, mono }: Moment, silences: Pick<Silences, "holds">): RuleMatch {
  const { kind, process, host, text } = condition;
  const counts = phase === "pending" && at > mono ? formatTime(wall + at - mono) : null;
  return { kind, process, host, text, since: formatTime(since), state: silences.holds(condition) ? "silenced" : phase, counts };
}

const clockText = (minute: number) => [Math.floor(minute / 60), minute % 60].map((part) => String(part).padStart(2, "0")).join(":");
