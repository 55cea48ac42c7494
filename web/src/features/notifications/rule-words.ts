import type { RuleOverview } from "../../../../src/features/notifications/wire.ts";

/** Says to what a rule applies, and how it sends, in short parts of a sentence. */
export function ruleWords(rule: RuleOverview): string[] {
  const { on, processes, tags, hosts, group_by, at_most, within, repeat, quiet, recovered } = rule;
  return [
    on === null ? "all kinds" : on.join(", "),
    ...(processes === null ? [] : [`of ${processes.join(", ")}`]),
    ...(tags === null ? [] : [`tagged ${tags.join(" or ")}`]),
    ...(hosts === null ? [] : [`on ${hosts.join(", ")}`]),
    ...(rule.for === 0 ? [] : [`after ${seconds(rule.for)}`]),
    group_by === "rule" ? `together within ${seconds(rule.group_wait)}` : `by ${group_by}, together within ${seconds(rule.group_wait)}`,
    `at most ${at_most} in ${seconds(within)}`,
    ...(repeat === null ? [] : [`again every ${seconds(repeat)}`]),
    ...(quiet.length === 0 ? [] : [`quiet ${quiet.join(", ")}`]),
    ...(recovered ? [] : ["not when it is over"]),
  ];
}

/** A duration of a configuration: "30 s", "5 min", "1 h". */
export function seconds(amount: number): string {
  if (amount >= 3_600 && amount % 3_600 === 0) return `${amount / 3_600} h`;
  if (amount >= 60 && amount % 60 === 0) return `${amount / 60} min`;
  return `${amount} s`;
}
