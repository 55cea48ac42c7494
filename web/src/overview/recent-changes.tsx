import { loggedEntries } from "../log/log-store.ts";
import { recentChanges } from "../process/state-history.ts";
import { StateStrip, StripLegend } from "../process/state-strip.tsx";
import { linkTo } from "../state/navigation.ts";
import { processOf } from "../state/store.ts";
import { StateMark } from "../ui/marks/state-mark.tsx";
import { Name } from "../ui/name.tsx";
import { clockTime, now } from "../ui/time.ts";

/** Maximum number of processes in the list. */
const MAX_PROCESSES = 12;
/** Time that strips show, minutes, and the number of their cells of 15 s. */
const MINUTES = 15;
const CELLS = MINUTES * 4;
const CELL_MS = (MINUTES * 60_000) / CELLS;

/** The processes that changed last: each once, so that one that crashes every second does not fill the list. */
export function RecentChanges() {
  // Rounded to whole cells: a strip moves by one cell every 15 s.
  const end = Math.ceil(now.value / CELL_MS) * CELL_MS;
  const begin = end - CELLS * CELL_MS;
  const newest = recentChanges(loggedEntries().entries, {
    count: MAX_PROCESSES,
    since: begin,
    startOf: (name) => processOf(name)?.start_time ?? null,
  });
  return (
    <section class="recent">
      <header>
        <h2>Recent changes</h2>
        <span class="soft">states of the last {MINUTES} min</span>
        <StripLegend />
      </header>
      {newest.length === 0 && <p class="soft">No changes yet.</p>}
      <ul class="changes">
        {newest.map(({ name, changes }) => {
          const last = changes.at(-1);
          return (
            <li key={name}>
              <time dateTime={`${last?.time}Z`}>{clockTime(last?.time ?? "")}</time>
              <a class="member" {...linkTo({ kind: "process", name }, name)} title={name}>
                <Name name={name} />
              </a>
              <StateStrip changes={changes} begin={begin} end={end} cells={CELLS} />
              <span class="latest" title={last?.text}>
                <StateMark state={last?.to ?? "stopped"} isPast /> <span class="change-text">{last?.text}</span>
              </span>
            </li>
          );
        })}
      </ul>
    </section>
  );
}
