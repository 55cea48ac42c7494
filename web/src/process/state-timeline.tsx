import { loggedChanges } from "../log/log-store.ts";
import { StateMark } from "../ui/state-mark.tsx";
import { clockTime, lasting, millisecondsOf, now } from "../ui/time.ts";

/** Changes listed below the strip. */
const LISTED = 8;

/** The states of a process over time, as the log knows them: a strip, and the newest changes in words. */
export function StateTimeline({ name }: { name: string }) {
  const own = loggedChanges(name);
  const [first] = own;
  if (!first) return <p class="soft">No state changes in the log.</p>;
  const begin = millisecondsOf(first.ts);
  const whole = Math.max(1, now.value - begin);
  const pieces = own.map((change, index) => {
    const from = millisecondsOf(change.ts);
    const next = own[index + 1];
    const to = next ? millisecondsOf(next.ts) : now.value;
    return { change, share: (to - from) / whole };
  });
  return (
    <>
      <div class="strip" role="img" aria-label={`${own.length} changes in the last ${lasting(first.ts)}`}>
        {pieces.map(({ change, share }) => (
          <span
            key={change.id}
            class={`strip-${change.to}`}
            style={{ flexGrow: Math.max(0, share) }}
            title={`${change.to} since ${clockTime(change.ts)}`}
          />
        ))}
      </div>
      <ul class="changes">
        {own
          .slice(-LISTED)
          .reverse()
          .map((change) => (
            <li key={change.id}>
              <time dateTime={`${change.ts}Z`}>{clockTime(change.ts)}</time>
              <StateMark state={change.to} />
              <span>{change.to}</span>
            </li>
          ))}
      </ul>
    </>
  );
}
