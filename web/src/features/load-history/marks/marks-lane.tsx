import { useRef } from "preact/hooks";
import { useSize } from "../../../ui/browser/element-size.ts";
import type { HistoryEvents } from "../history-requests.ts";
import type { Span } from "../range.ts";
import { momentText } from "../time-text.ts";
import { type Mark, type MarkKind, marksOf, markText } from "./marks.ts";

/** Width of a mark, px. */
const LEAST = 14;

/** Marks in squares of 12: a cross, an arrow, a triangle, a diamond. They differ by form as well as by colour. */
const PATHS: Readonly<Record<MarkKind, string>> = {
  crash: "M3 3 9 9M9 3 3 9",
  restart: "M9.500 6a3.500 3.500 0 1 1-1.200-2.600M9.500 1.500v2.300H7.200",
  command: "M3.500 2.500v7L9.500 6Z",
  configuration: "M6 1.500 10.500 6 6 10.500 1.500 6Z",
};

export function MarkIcon({ kind }: { kind: MarkKind }) {
  return (
    <svg class={`history-mark mark-of-${kind}`} viewBox="0 0 12 12" width="12" height="12" aria-hidden="true">
      <path d={PATHS[kind]} />
    </svg>
  );
}

interface Props {
  readonly events: HistoryEvents | null;
  readonly span: Span;
  readonly onPick: (time: number) => void;
}

/** Failures, restarts, commands and changes of the configuration, at their times. */
export function MarksLane({ events, span, onPick }: Props) {
  const lane = useRef<HTMLUListElement>(null);
  const { width } = useSize(lane);
  const marks = width === 0 ? [] : marksOf(events?.events ?? [], span, { width, least: LEAST });
  return (
    <ul class="history-lane history-marks" aria-label="Events" ref={lane}>
      {marks.map((mark) => (
        <li key={mark.events[0]?.ts} style={{ left: `${100 * mark.place}%` }}>
          <MarkButton mark={mark} onPick={onPick} />
        </li>
      ))}
    </ul>
  );
}

function MarkButton({ mark, onPick }: { mark: Mark; onPick: Props["onPick"] }) {
  const text = `${momentText(mark.time)}: ${markText(mark)}`;
  return (
    <button type="button" class="icon" title={text} aria-label={text} onClick={() => onPick(mark.time)}>
      <MarkIcon kind={mark.kind} />
    </button>
  );
}
