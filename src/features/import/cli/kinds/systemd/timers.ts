import { always, type Conversion, drop, type KeyEntry, type Rule, type Rules } from "../../model/conversion.ts";
import { asList } from "../../model/tree.ts";
import { duration, flag, span, text } from "../../model/values.ts";
import { cronOfCalendar } from "./calendar.ts";
import type { Unit } from "./service.ts";

/** The unit that a timer starts. */
export function startedBy({ name, sections }: Pick<Unit, "name" | "sections">): string {
  const named = sections.get("Timer")?.get("Unit");
  return named === undefined ? name.full.replace(/\.timer$/, ".service") : text(named);
}

const BY_HAND = "write the key schedule by hand, or keep the timer, with a service that runs: mgr start NAME";

/** Whether the service is restarted whenever it ends: systemd starts no service that runs. Reports it. */
function runsAllTheTime(entry: KeyEntry, context: Conversion): boolean {
  const isAlways = context.draft.get("restart.policy") === "always";
  if (isAlways) context.dropped(entry, "the service is always restarted, so it runs at these times already");
  return isAlways;
}

const onCalendar: Rule<Conversion> = (entry, context) => {
  if (runsAllTheTime(entry, context)) return;
  const [event, ...others] = asList(entry.tree);
  if (event === undefined) return;
  if (others.length > 0) return context.dropped(entry, "a schedule has one cron expression, and the timer has several times", BY_HAND);
  const schedule = cronOfCalendar(text(event));
  if (schedule === null) return context.dropped(entry, `no cron expression has the same times as '${text(event)}'`, BY_HAND);
  context.draft.set("schedule.cron", schedule.cron);
  if (schedule.timezone !== null) context.draft.set("schedule.timezone", schedule.timezone);
  context.carried(entry, "schedule.cron");
};

const every =
  (why: string): Rule<Conversion> =>
  (entry, context) => {
    if (runsAllTheTime(entry, context)) return;
    if (context.draft.get("schedule") !== undefined) return context.dropped(entry, "the process already has a schedule", BY_HAND);
    context.draft.set("schedule.every", duration(span(entry.tree)));
    context.guessed(entry, "schedule.every", why);
  };

const atStart: Rule<Conversion> = (entry, context) => {
  context.draft.set("autostart", true);
  context.guessed(entry, "autostart", "it starts with the manager, without a delay");
};

/** Rules of the keys of [Timer], in an order in which a time of the calendar comes before a period. */
const TIMER_RULES: Rules<Conversion> = {
  OnCalendar: onCalendar,
  OnUnitActiveSec: every("the first run is one period after the manager has seen the schedule"),
  OnUnitInactiveSec: every("the period is from start to start here, and from the end of a run to the next start there"),
  OnBootSec: atStart,
  OnStartupSec: atStart,
  OnActiveSec: atStart,
  Persistent: (entry, context) => {
    if (!flag(entry.tree)) return;
    if (context.draft.get("schedule") === undefined) return context.dropped(entry, "the process has no schedule");
    context.draft.set("schedule.catch_up", true);
    context.carried(entry, "schedule.catch_up");
  },
  Unit: always("the process"),
  AccuracySec: always("each run is at its time"),
  RandomizedDelaySec: drop("each run is at its time"),
  FixedRandomDelay: drop("each run is at its time"),
  RandomizedOffsetSec: drop("each run is at its time"),
  WakeSystem: drop("the machine is not woken up"),
  OnClockChange: drop("a change of the clock starts nothing"),
  OnTimezoneChange: drop("a change of the time zone starts nothing"),
  RemainAfterElapse: drop("a schedule is in effect as long as the process is configured"),
};

/** Rules of the other sections of a timer. */
const TIMER_FRAME_RULES: Rules<Conversion> = {
  Description: always("the schedule"),
  Documentation: always("the schedule"),
  WantedBy: always("the schedule, which is in effect while the manager runs"),
};

/** The sections of a timer with the rules of each. */
export const TIMER_SECTIONS: readonly (readonly [title: string, rules: Rules<Conversion>])[] = [
  ["Unit", TIMER_FRAME_RULES],
  ["Timer", TIMER_RULES],
  ["Install", TIMER_FRAME_RULES],
];
