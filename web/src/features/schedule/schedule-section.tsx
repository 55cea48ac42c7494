import { nextRunText, skippedText, timesText } from "../../../../src/features/schedule/client/schedule-text.ts";
import type { Overlap } from "../../../../src/features/schedule/schedule.ts";
import type { ScheduleState } from "../../../../src/features/schedule/wire.ts";
import type { Process } from "../../../../src/protocol/resources/resources.ts";
import { linkTo } from "../../state/navigation.ts";
import { Pair, Section } from "../../ui/detail-section.tsx";
import { Name } from "../../ui/name.tsx";
import { clockTime, lasting } from "../../ui/time.ts";
import { inOrder, scheduleOf } from "./schedule-store.ts";

const OVERLAP_TEXTS: Record<Overlap, string> = {
  skip: "The run is skipped",
  queue: "The run waits for the end of the one before",
  kill: "The run before is stopped first",
};

const nextOf = (state: ScheduleState) => nextRunText(state, (next) => `${timeAhead(next)} (in ${lasting(next, true)})`);

/** A time to come: with its date if it is not today. */
function timeAhead(timestamp: string): string {
  const at = new Date(`${timestamp}Z`);
  const time = at.toLocaleTimeString(undefined, { hourCycle: "h23" });
  return at.toDateString() === new Date().toDateString()
    ? time
    : `${at.toLocaleDateString(undefined, { month: "short", day: "numeric" })}, ${time}`;
}

const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1);

/** The schedule of a process. */
export function ScheduleSection({ process }: { process: Process }) {
  const state = scheduleOf(process.name);
  if (state === undefined) return null;
  return (
    <Section title="Schedule">
      <dl class="pairs">
        <Pair term="Starts">{timesText(state)}</Pair>
        <Pair term="Next run">{state.paused ? "Paused until the process is started" : capitalized(nextOf(state))}</Pair>
        <Pair term="Last run">{state.last_run === null ? "None" : clockTime(state.last_run)}</Pair>
        <Pair term="While it runs">{OVERLAP_TEXTS[state.overlap]}</Pair>
        {state.catch_up && <Pair term="Missed runs">One is made up for</Pair>}
        {state.skipped !== null && <Pair term="Skipped">{capitalized(skippedText(state, clockTime))}</Pair>}
      </dl>
    </Section>
  );
}

/** All schedules, in the overview; nothing if there are none. */
export function SchedulesSection() {
  const all = inOrder.value;
  if (all.length === 0) return null;
  return (
    <section>
      <h2>Schedules</h2>
      <div class="section-table">
        <table aria-label="Schedules">
          <thead>
            <tr>
              <th>Process</th>
              <th>Starts</th>
              <th>Next run</th>
              <th>Last run</th>
            </tr>
          </thead>
          <tbody>
            {all.map((state) => (
              <tr key={state.name}>
                <td>
                  <a class="member" {...linkTo({ kind: "process", name: state.name }, state.name)} title={state.name}>
                    <Name name={state.name} />
                  </a>
                </td>
                <td>{timesText(state)}</td>
                <td title={skippedText(state, clockTime) || undefined}>{nextOf(state)}</td>
                <td>{state.last_run === null ? "–" : clockTime(state.last_run)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </section>
  );
}
