import { useEffect, useRef } from "preact/hooks";
import type { HistoryEvent } from "../../../../../src/features/load-history/event-wire.ts";
import { openLogAt } from "../../../log/log-view.tsx";
import { addressOfView } from "../../../state/views.ts";
import { openOutputAt } from "../../../terminal/places/open-at.ts";
import { textOfTarget } from "../../../terminal/places/output-target.ts";
import { IconButton } from "../../../ui/marks/icons.tsx";
import { timeText } from "../range.ts";
import { momentText } from "../time-text.ts";
import { MarkIcon } from "./marks-lane.tsx";

/** Events that are listed, at most. */
const MAX_LISTED = 6;

interface Props {
  /** ms since 1970. */
  readonly time: number;
  /** Processes whose output can be opened. */
  readonly names: readonly string[];
  /** Values of the curves at that time. */
  readonly values: readonly (readonly [title: string, value: string])[];
  readonly events: readonly HistoryEvent[];
  /** Whether its first link gets the focus: it was opened by a key. */
  readonly takesFocus: boolean;
  readonly onClose: () => void;
}

/** A time: its values, events near it, and ways to the output and the log of that moment. */
export function PlacePanel({ time, names, values, events, takesFocus, onClose }: Props) {
  const box = useRef<HTMLElement>(null);
  useEffect(() => {
    if (takesFocus) box.current?.querySelector("a")?.focus();
  }, [time]);
  const moment = momentText(time);
  const at = timeText(time);
  return (
    <section
      class="history-place"
      aria-label={`At ${moment}`}
      ref={box}
      onKeyDown={(event) => {
        if (event.key !== "Escape") return;
        event.stopPropagation();
        onClose();
      }}
    >
      <header>
        <h3>{moment}</h3>
        <IconButton icon="close" label="Close" onClick={onClose} />
      </header>
      <p class="history-links">
        {names.map((name) => (
          <TargetLink
            key={name}
            href={`${addressOfView({ kind: "process", name }, "")}&at=${textOfTarget({ time: at })}`}
            open={() => openOutputAt(name, { time: at })}
          >
            {names.length === 1 ? `Output at ${moment}` : `Output of ${name} at ${moment}`}
          </TargetLink>
        ))}
        <TargetLink href={addressOfView({ kind: "log" }, "")} open={() => openLogAt(at)}>
          {`Log at ${moment}`}
        </TargetLink>
      </p>
      {values.length > 0 && (
        <dl>
          {values.map(([title, value]) => (
            <div key={title}>
              <dt>{title}</dt>
              <dd>{value}</dd>
            </div>
          ))}
        </dl>
      )}
      {events.length > 0 && (
        <ul class="history-near" aria-label="Events near this time">
          {events.slice(0, MAX_LISTED).map((event) => (
            <li key={`${event.ts} ${event.text}`}>
              {event.kind !== "state" && <MarkIcon kind={event.kind} />}
              <time>{momentText(Date.parse(`${event.ts}Z`))}</time>
              <span title={event.text}>{event.text}</span>
            </li>
          ))}
          {events.length > MAX_LISTED && <li class="soft">and {events.length - MAX_LISTED} more</li>}
        </ul>
      )}
    </section>
  );
}

/** A link that opens its place here on a plain click, and in a browser tab on others. */
function TargetLink({ href, open, children }: { href: string; open: () => void; children: string }) {
  return (
    <a
      href={href}
      onClick={(event) => {
        if (event.ctrlKey || event.metaKey || event.shiftKey || event.button !== 0) return;
        event.preventDefault();
        open();
      }}
    >
      {children}
    </a>
  );
}
