import { useSignal } from "@preact/signals";
import { linkTo } from "../../../state/navigation.ts";
import { hasProcess } from "../../../state/store.ts";
import { Button } from "../../../ui/button.tsx";
import type { HistoryEvents } from "../history-requests.ts";
import type { Span } from "../range.ts";
import { momentText } from "../time-text.ts";
import { MARK_KINDS, timeOf } from "./marks.ts";
import { MarkIcon } from "./marks-lane.tsx";

const FIRST_ROWS = 12;

/** The marked events in words, the newest first. */
export function EventsList({ found, span, onPick }: { found: HistoryEvents; span: Span; onPick: (time: number) => void }) {
  const isWhole = useSignal(false);
  const all = found.events.filter((event) => event.kind !== "state" && timeOf(event) >= span.from && timeOf(event) <= span.until).reverse();
  const rows = isWhole.value ? all : all.slice(0, FIRST_ROWS);
  const isShort = found.oldest === null || found.oldest > span.from;
  return (
    <section class="history-events" aria-label="Events in words">
      <header>
        <h3>Events</h3>
        <ul class="history-legend" aria-label="Kinds of events">
          {MARK_KINDS.map(([kind, word]) => (
            <li key={kind} class="soft">
              <MarkIcon kind={kind} />
              {word}
            </li>
          ))}
        </ul>
      </header>
      {rows.length === 0 && <p class="soft">No failures, restarts, commands or changes of the configuration.</p>}
      <ul>
        {rows.map((event, index) => (
          <li key={`${event.ts} ${index}`}>
            {event.kind !== "state" && <MarkIcon kind={event.kind} />}
            <button type="button" class="linklike" title="Show this time" onClick={() => onPick(timeOf(event))}>
              {momentText(timeOf(event))}
            </button>
            <span class="history-text" title={event.text}>
              {event.text}
            </span>
            {event.name !== null && hasProcess(event.name) && (
              <a {...linkTo({ kind: "process", name: event.name }, `Open ${event.name}`)}>Open</a>
            )}
          </li>
        ))}
      </ul>
      {all.length > FIRST_ROWS && (
        <Button
          pressed={isWhole.value}
          onClick={() => {
            isWhole.value = !isWhole.value;
          }}
        >
          {isWhole.value ? `Show the newest ${FIRST_ROWS}` : `Show all ${all.length}`}
        </Button>
      )}
      {found.leftOut > 0 && <p class="soft">{found.leftOut} older events of this time are left out. Zoom in to see them.</p>}
      {isShort && (
        <p class="soft">
          {found.oldest === null ? "The log is empty." : `The log, and with it the events, begins at ${momentText(found.oldest)}.`}
        </p>
      )}
    </section>
  );
}
