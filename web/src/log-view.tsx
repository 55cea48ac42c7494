import { computed, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { LOG_LEVELS, type LogLevel } from "../../src/protocol/resources.ts";
import { logEntries } from "./store.ts";

const minimum = signal<LogLevel>("info");
const search = signal("");
/** Rows drawn at most; older ones are a filter or a search away. */
const DRAWN = 400;

const shown = computed(() => {
  const least = LOG_LEVELS.indexOf(minimum.value);
  const wanted = search.value.trim().toLowerCase();
  return logEntries.value
    .filter(
      (entry) =>
        LOG_LEVELS.indexOf(entry.level) >= least && (wanted === "" || `${entry.source} ${entry.msg}`.toLowerCase().includes(wanted)),
    )
    .slice(-DRAWN);
});

export function LogView() {
  const list = useRef<HTMLDivElement>(null);
  const pinned = useRef(true);
  const entries = shown.value;
  useEffect(() => {
    if (pinned.current && list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [entries]);
  return (
    <section class="log" aria-label="Manager log">
      <header class="bar">
        <h2>Log</h2>
        <select
          aria-label="Lowest level shown"
          value={minimum.value}
          onChange={(event) => {
            minimum.value = event.currentTarget.value as LogLevel;
          }}
        >
          {LOG_LEVELS.filter((level) => level !== "debug").map((level) => (
            <option key={level} value={level}>
              {level}
            </option>
          ))}
        </select>
        <input
          type="search"
          placeholder="Search the log"
          aria-label="Search the log"
          value={search.value}
          onInput={(event) => {
            search.value = event.currentTarget.value;
          }}
        />
      </header>
      <div
        class="entries"
        role="log"
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard (axe: scrollable-region-focusable)
        tabIndex={0}
        ref={list}
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          pinned.current = scrollHeight - scrollTop - clientHeight < 24;
        }}
      >
        {entries.map((entry) => (
          <div key={entry.id} class={`entry level-${entry.level}`}>
            <time dateTime={`${entry.ts}Z`}>{entry.ts.slice(11)}</time>
            <span class="level">{entry.level}</span>
            <span class="msg">
              {entry.source !== "manager" && <b>{entry.source}: </b>}
              {entry.msg}
            </span>
          </div>
        ))}
        {entries.length === 0 && <p class="empty">Nothing here.</p>}
      </div>
    </section>
  );
}
