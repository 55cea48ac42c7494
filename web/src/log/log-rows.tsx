import { useLayoutEffect, useRef } from "preact/hooks";
import type { LogEntry } from "../../../src/protocol/resources/resources.ts";
import { linkTo, poppedOut } from "../app/navigation.ts";
import { isNarrow } from "../app/settings.ts";
import { client, hasProcess } from "../app/store.ts";
import { clockTime, isOld } from "../ui/time.ts";
import { useViewport } from "../ui/viewport.ts";
import { loadOlder, olderEntries } from "./log-history.ts";
import { withNames, wrapped } from "./log-lines.ts";
import { type LogFilter, LogSelection, textOf } from "./log-selection.ts";
import { loggedEntries } from "./log-store.ts";

/** Sizes of the style sheet (log.css), pixels: rows out of sight are not drawn, so that their heights have to be known. */
const LINE = 19;
const PADDING = 24;
/** The columns before the message on wide screens: time (without and with the day), level and their gaps. */
const BEFORE_MESSAGE = 146;
const BEFORE_MESSAGE_DATED = 186;
const SPARE_LINES = 20;

/** The entries that fit, of any number: those in sight are drawn. Older ones are fetched when the first comes in sight. */
export function LogRows({ filter, follows, onFollow }: { filter: LogFilter; follows: boolean; onFollow: (follows: boolean) => void }) {
  const box = useRef<HTMLDivElement>(null);
  const viewport = useViewport(box).value;
  const before = useRef<LogSelection | null>(null);
  const lastTop = useRef(0);
  const anchor = useRef<{ id: number; line: number } | null>(null);

  const stacked = isNarrow.value;
  const dated = isOld(loggedEntries().entries[0]?.ts ?? "");
  const aside = stacked ? 0 : dated ? BEFORE_MESSAGE_DATED : BEFORE_MESSAGE;
  const columns = Math.floor((viewport.width - PADDING - aside) / characterWidth());
  const selection = LogSelection.of(before.current, loggedEntries(), filter, columns, stacked ? 1 : 0);
  const { entries, places } = selection;
  const isSame = before.current === selection;
  before.current = selection;

  const inSight = viewport.height / LINE;
  const top = follows ? Math.max(0, places.total - inSight) : viewport.top / LINE;
  const first = places.rowAt(Math.max(0, top - SPARE_LINES));
  const last = places.rowAt(top + inSight + SPARE_LINES);
  const isAtTop = places.startOf(first) === 0 && (top < SPARE_LINES || places.total < inSight);

  useLayoutEffect(() => {
    const element = box.current;
    if (!element) return;
    if (follows) element.scrollTop = element.scrollHeight;
    else if (!isSame && anchor.current) {
      // Older entries have come above what is being read: it stays where it is.
      const { id, line } = anchor.current;
      const row = entries.findIndex((entry) => entry.id === id);
      if (row >= 0) element.scrollTop = (places.startOf(row) + line) * LINE;
    }
    const row = places.rowAt(element.scrollTop / LINE);
    const entry = entries[row];
    anchor.current = entry ? { id: entry.id, line: element.scrollTop / LINE - places.startOf(row) } : null;
  });
  useLayoutEffect(() => {
    if (isAtTop && olderEntries.value === "perhaps" && (!follows || places.total < inSight)) void loadOlder(client);
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
      onWheel={(event) => event.deltaY < 0 && onFollow(false)}
      onTouchMove={() => onFollow(false)}
      onPointerDown={(event) => event.target === event.currentTarget && onFollow(false)}
      onKeyDown={(event) => ["ArrowUp", "PageUp", "Home"].includes(event.key) && onFollow(false)}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        // Downwards only: the first pixels away from the end are an end as well.
        if (scrollTop > lastTop.current && scrollHeight - scrollTop - clientHeight < 4) onFollow(true);
        lastTop.current = scrollTop;
      }}
    >
      <div style={{ height: `${places.total * LINE}px`, position: "relative" }}>
        {entries.slice(first, last + 1).map((entry, index) => (
          <Row key={entry.id} entry={entry} columns={columns} top={places.startOf(first + index) * LINE} />
        ))}
      </div>
      {entries.length === 0 && (
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

function Row({ entry, columns, top }: { entry: LogEntry; columns: number; top: number }) {
  const { level, ts, source } = entry;
  const text = wrapped(textOf(entry), columns);
  const isNamed = source !== "manager" && text.startsWith(`${source}: `);
  return (
    <div class={`entry level-${level}`} style={{ transform: `translateY(${top}px)` }}>
      <time dateTime={`${ts}Z`} title={`${ts} UTC`}>
        {clockTime(ts)}
      </time>
      <span class="level">{level}</span>
      <span class="msg">
        {isNamed && (hasProcess(source) ? <NameLink name={source} /> : <b>{source}</b>)}
        {withNames(isNamed ? text.slice(source.length) : text, hasProcess).map((part) =>
          typeof part === "string" ? part : <NameLink key={part.name} name={part.name} />,
        )}
      </span>
    </div>
  );
}

/** A link, not a button: the text breaks within it. */
function NameLink({ name }: { name: string }) {
  return poppedOut ? <span>{name}</span> : <a {...linkTo({ kind: "process", name })}>{name}</a>;
}
