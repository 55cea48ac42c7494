import { signal, useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useRef } from "preact/hooks";
import { linkTo, poppedOut } from "../state/navigation.ts";
import { client, hasProcess } from "../state/store.ts";
import { isNarrow } from "../ui/browser/screen.ts";
import { useFollowing } from "../ui/list/following.ts";
import { useViewport } from "../ui/list/viewport.ts";
import { clockTime, isOld } from "../ui/time.ts";
import { loadOlder, olderEntries } from "./log-history.ts";
import { marked, matchesIn, withNames, wrapped } from "./log-lines.ts";
import { type LogFilter, type LogRow, LogSelection, textOf } from "./log-selection.ts";
import { loggedEntries } from "./log-store.ts";
import { rowAtTime, soughtTime } from "./sought-time.ts";

/** Sizes in the style sheet (log.css), px: rows out of view are not drawn, so their heights have to be known. */
const LINE = 19;
const PADDING = 24;
/** Width before the message on wide screens, px: time (without and with the day), level and their gaps. */
const BEFORE_MESSAGE = 146;
const BEFORE_MESSAGE_DATED = 186;
const SPARE_LINES = 20;
/** Columns at the end of each line that are reserved for the number of repeats. */
const COUNT_COLUMNS = 8;

/** Ids of the first entries of unfolded repeats, whose entries all have a row. */
const unfolded = signal<ReadonlySet<number>>(new Set());

/** The entries that match, of which only the visible ones are drawn. Older ones are loaded when the first one becomes visible. */
export function LogRows({ filter, follows, onFollow }: { filter: LogFilter; follows: boolean; onFollow: (follows: boolean) => void }) {
  const box = useRef<HTMLDivElement>(null);
  const viewport = useViewport(box).value;
  const before = useRef<LogSelection | null>(null);
  const following = useFollowing(onFollow);
  const anchor = useRef<{ id: number; line: number } | null>(null);
  /** The time that was found last, and its entry. */
  const found = useSignal<{ readonly sought: object; readonly id: number | undefined } | null>(null);

  const stacked = isNarrow.value;
  const dated = isOld(loggedEntries().entries[0]?.ts ?? "");
  const aside = stacked ? 0 : dated ? BEFORE_MESSAGE_DATED : BEFORE_MESSAGE;
  const columns = Math.floor((viewport.width - PADDING - aside) / characterWidth());
  const layout = { columns: columns - COUNT_COLUMNS, extraLines: stacked ? 1 : 0, unfolded: unfolded.value };
  const selection = LogSelection.of(before.current, loggedEntries(), filter, layout);
  const { rows, places } = selection;
  const isSame = before.current === selection;
  before.current = selection;

  const visibleRows = viewport.height / LINE;
  const top = follows ? Math.max(0, places.total - visibleRows) : viewport.top / LINE;
  const first = places.rowAt(Math.max(0, top - SPARE_LINES));
  const last = places.rowAt(top + visibleRows + SPARE_LINES);
  const isAtTop = places.startOf(first) === 0 && (top < SPARE_LINES || places.total < visibleRows);

  const sought = soughtTime.value;
  useLayoutEffect(() => {
    const oldest = loggedEntries().entries[0]?.ts;
    if (sought === null || found.peek()?.sought === sought || !box.current || oldest === undefined || columns <= 0) return;
    if (oldest > sought.time && olderEntries.value !== "none") {
      if (olderEntries.value === "perhaps") void loadOlder(client);
      return;
    }
    const row = rowAtTime(rows, sought.time);
    found.value = { sought, id: rows[row]?.entry.id };
    anchor.current = null;
    box.current.scrollTop = Math.max(0, places.startOf(row) - Math.floor(visibleRows / 3)) * LINE;
  });
  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    if (follows) element.scrollTop = element.scrollHeight;
    else if (!isSame && anchor.current) {
      // Older entries were added above the visible ones, which keep their place.
      const { id, line } = anchor.current;
      const row = rows.findIndex(({ entry }) => entry.id === id);
      if (row >= 0) element.scrollTop = (places.startOf(row) + line) * LINE;
    }
    const row = places.rowAt(element.scrollTop / LINE);
    const entry = rows[row]?.entry;
    anchor.current = entry ? { id: entry.id, line: element.scrollTop / LINE - places.startOf(row) } : null;
  });
  useLayoutEffect(() => {
    if (isAtTop && olderEntries.value === "perhaps" && (!follows || places.total < visibleRows)) void loadOlder(client);
  });

  return (
    <div
      class={`entries ${dated ? "dated" : ""}`}
      role="log"
      aria-label="Log entries"
      aria-live="off"
      // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard (axe: scrollable-region-focusable)
      tabIndex={0}
      ref={box}
      {...following}
    >
      <div style={{ height: `${places.total * LINE}px`, position: "relative" }}>
        {rows.slice(first, last + 1).map((row, index) => (
          <Row
            key={row.entry.id}
            row={row}
            count={row.count}
            columns={layout.columns}
            search={filter.search}
            isSought={sought !== null && sought === found.value?.sought && row.entry.id === found.value.id}
            top={places.startOf(first + index) * LINE}
          />
        ))}
      </div>
      {rows.length === 0 && (
        <p class="empty">
          {olderEntries.value === "coming"
            ? "Loading older entries…"
            : loggedEntries().entries.length === 0
              ? "No entries yet."
              : "No matches."}
        </p>
      )}
    </div>
  );
}

let measured = 0;
/** Width of a character of the log's font, pixels. */
function characterWidth(): number {
  if (measured > 0) return measured;
  const probe = document.createElement("span");
  probe.className = "entries-probe";
  probe.textContent = "x".repeat(100);
  document.body.append(probe);
  measured = probe.getBoundingClientRect().width / 100;
  probe.remove();
  return measured || 7.2;
}

interface RowProps {
  row: LogRow;
  /** Number of entries in the row, which is the same object while it grows. */
  count: number;
  columns: number;
  search: string;
  /** Whether it was the newest one at the time that was sought. */
  isSought: boolean;
  top: number;
}

function Row({ row, count, columns, search, isSought, top }: RowProps) {
  const { level, source, msg } = row.entry;
  const { ts } = row.isUnfolded ? row.entry : row.last;
  const text = wrapped(textOf(row.entry), columns);
  const isNamed = source !== "manager" && text.startsWith(`${source}: `);
  const named = isNamed
    ? [hasProcess(source) ? { name: source } : source, ...withNames(text.slice(source.length), hasProcess)]
    : withNames(text, hasProcess);
  const matches = matchesIn(text, search);
  let at = 0;
  const parts = named.map((part, index) => {
    const words = typeof part === "string" ? part : part.name;
    const pieces = <Pieces pieces={marked(words, at, matches)} />;
    at += words.length;
    if (typeof part !== "string") return <NameLink key={part.name} name={part.name} text={pieces} />;
    return isNamed && index === 0 ? <b>{pieces}</b> : pieces;
  });
  const span = count > 1 ? `${row.entry.ts} to ${row.last.ts} UTC` : `${ts} UTC`;
  return (
    <div class={`entry level-${level} ${isSought ? "is-sought" : ""}`} style={{ transform: `translateY(${top}px)` }}>
      <time dateTime={`${ts}Z`} title={span}>
        {clockTime(ts)}
      </time>
      <span class="level">{level}</span>
      <span class="msg">
        {parts}
        {count > 1 && (
          <button
            type="button"
            class="repeats"
            aria-expanded={row.isUnfolded}
            aria-label={`${count} times in a row: ${msg.slice(0, 80)}`}
            title={row.isUnfolded ? "Fold these entries" : `Show all ${count} entries`}
            onClick={() => toggleFold(row.entry.id)}
          >
            × {count}
          </button>
        )}
      </span>
    </div>
  );
}

function toggleFold(id: number): void {
  const next = new Set(unfolded.peek());
  if (!next.delete(id)) next.add(id);
  unfolded.value = next;
}

function Pieces({ pieces }: { pieces: ReturnType<typeof marked> }) {
  return <>{pieces.map(({ text, isMatch }) => (isMatch ? <mark>{text}</mark> : text))}</>;
}

/** A link, not a button, so that the text can wrap within it. */
function NameLink({ name, text }: { name: string; text: ComponentChildren }) {
  return poppedOut ? <span>{text}</span> : <a {...linkTo({ kind: "process", name })}>{text}</a>;
}
