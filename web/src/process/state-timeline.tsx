import { StateMark } from "../ui/state-mark.tsx";
import { clockTime, lasting, millisecondsOf, now } from "../ui/time.ts";
import type { StateChange } from "./state-history.ts";

/** Changes listed below the strip. */
const LISTED = 8;

/** The states of a process over time: a strip, and the newest changes in words. */
export function StateTimeline({ changes: own }: { changes: readonly StateChange[] }) {
  const [first] = own;
  if (!first) return <p class="soft">No state changes yet.</p>;
  const begin = millisecondsOf(first.time);
  const whole = Math.max(1, now.value - begin);
  const pieces = own.map((change, index) => {
    const from = millisecondsOf(change.time);
    const next = own[index + 1];
    const to = next ? millisecondsOf(next.time) : now.value;
    return { change, share: (to - from) / whole };
  });
  return (
    <>
      <div class="strip" role="img" aria-label={`${own.length} changes in the last ${lasting(first.time)}`}>
        {pieces.map(({ change, share }, index) => (
          <span
            key={index}
            class={`strip-${change.to}`}
            style={{ flexGrow: Math.max(0, share) }}
            title={`${change.text} at ${clockTime(change.time)}`}
          />
        ))}
      </div>
      <ul class="changes">
        {own
          .slice(-LISTED)
          .reverse()
          .map((change, index) => (
            <li key={own.length - index}>
              <time dateTime={`${change.time}Z`}>{clockTime(change.time)}</time>
              <StateMark state={change.to} />
              <span class="change-text" title={change.text}>
                {change.text}
              </span>
            </li>
          ))}
      </ul>
    </>
  );
}
