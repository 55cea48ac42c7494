import { StateMark } from "../ui/marks/state-mark.tsx";
import { clockTime, lasting, millisecondsOf, now } from "../ui/time.ts";
import type { StateChange } from "./state-history.ts";
import { StateStrip } from "./state-strip.tsx";

/** Maximum number of changes that are listed below the strip. */
const MAX_LISTED = 8;
const CELLS = 150;

/** The states of a process over time: a strip, and the newest changes in words. */
export function StateTimeline({ changes }: { changes: readonly StateChange[] }) {
  const [first] = changes;
  if (!first) return <p class="soft">No state changes yet.</p>;
  return (
    <>
      <StateStrip changes={changes} begin={millisecondsOf(first.time)} end={now.value} cells={CELLS} />
      <p class="strip-scale" aria-hidden="true">
        <span>{lasting(first.time)} ago</span>
        <span>now</span>
      </p>
      <ul class="changes">
        {changes
          .slice(-MAX_LISTED)
          .reverse()
          .map((change, index) => (
            <li key={changes.length - index}>
              <time dateTime={`${change.time}Z`}>{clockTime(change.time)}</time>
              <StateMark state={change.to} isPast />
              <span class="change-text" title={change.text}>
                {change.text}
              </span>
            </li>
          ))}
      </ul>
    </>
  );
}
