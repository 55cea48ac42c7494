import { computed, signal } from "@preact/signals";
import { useEffect, useRef } from "preact/hooks";
import { LOG_LEVELS, type LogEntry, type LogLevel } from "../../src/protocol/resources.ts";
import { withNames } from "./changes.ts";
import { IconButton } from "./icons.tsx";
import { popOut, poppedOut, show, showProcess } from "./navigation.ts";
import { logOpen } from "./settings.ts";
import { hasProcess, logEntries } from "./store.ts";
import { clockTime } from "./time.ts";

const minimum = signal<LogLevel>("info");
const source = signal("");
const search = signal("");
const follows = signal(true);
/** Rows drawn at most; older ones are a filter or a search away. */
const DRAWN = 400;

const sources = computed(() => [...new Set(logEntries.value.map((entry) => entry.source))].sort());

const shown = computed(() => {
  const least = LOG_LEVELS.indexOf(minimum.value);
  const wanted = search.value.trim().toLowerCase();
  const fits = (entry: LogEntry) =>
    LOG_LEVELS.indexOf(entry.level) >= least &&
    (source.value === "" || entry.source === source.value) &&
    (wanted === "" || `${entry.source} ${entry.msg}`.toLowerCase().includes(wanted));
  // From the newest on, until there are enough.
  const found: LogEntry[] = [];
  const entries = logEntries.value;
  for (let at = entries.length - 1; at >= 0 && found.length < DRAWN; at--) {
    const entry = entries[at];
    if (entry && fits(entry)) found.push(entry);
  }
  return found.reverse();
});

/** The manager's log; `docked` below everything else, else in a tab or a window of its own. */
export function LogView({ docked = false }: { docked?: boolean }) {
  const list = useRef<HTMLDivElement>(null);
  const entries = shown.value;
  useEffect(() => {
    if (follows.value && list.current) list.current.scrollTop = list.current.scrollHeight;
  }, [entries, follows.value]);
  return (
    <section class="log" aria-label="Manager log">
      <header class="bar">
        <h2>Log</h2>
        <Filters />
        <span class="grow" />
        <IconButton
          icon="down"
          label="Follow the newest entries"
          pressed={follows.value}
          onClick={() => {
            follows.value = !follows.value;
          }}
        />
        {docked && <IconButton icon="splitRight" label="Open the log in a tab" onClick={() => show({ kind: "log" }, true)} />}
        {!poppedOut && <IconButton icon="popOut" label="Open the log in a window of its own" onClick={() => popOut({ kind: "log" })} />}
        {docked && (
          <IconButton
            icon="close"
            label="Hide the log  l"
            onClick={() => {
              logOpen.value = false;
            }}
          />
        )}
      </header>
      <div
        class="entries"
        role="log"
        aria-live="off"
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard (axe: scrollable-region-focusable)
        tabIndex={0}
        ref={list}
        onWheel={(event) => {
          if (event.deltaY < 0) follows.value = false;
        }}
        onScroll={(event) => {
          const { scrollTop, scrollHeight, clientHeight } = event.currentTarget;
          if (scrollHeight - scrollTop - clientHeight < 8) follows.value = true;
        }}
      >
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
        {entries.length === 0 && <p class="empty">{logEntries.value.length === 0 ? "Nothing yet." : "Nothing fits the filter."}</p>}
      </div>
    </section>
  );
}

function Filters() {
  return (
    <>
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
      <select
        aria-label="Source"
        value={source.value}
        onChange={(event) => {
          source.value = event.currentTarget.value;
        }}
      >
        <option value="">all sources</option>
        {sources.value.map((name) => (
          <option key={name} value={name}>
            {name}
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
    </>
  );
}

function Entry({ entry }: { entry: LogEntry }) {
  const { level, ts, msg } = entry;
  return (
    <div class={`entry level-${level}`}>
      <time dateTime={`${ts}Z`} title={`${ts} UTC`}>
        {clockTime(ts)}
      </time>
      <span class="level">{level}</span>
      <span class="msg">
        {entry.source !== "manager" && (hasProcess(entry.source) ? <NameLink name={entry.source} /> : <b>{entry.source}</b>)}
        {entry.source !== "manager" && ": "}
        {withNames(msg, hasProcess).map((part) => (typeof part === "string" ? part : <NameLink key={part.name} name={part.name} />))}
      </span>
    </div>
  );
}

function NameLink({ name }: { name: string }) {
  if (poppedOut) return <>{name}</>;
  return (
    <button type="button" class="linklike" onClick={() => showProcess(name)}>
      {name}
    </button>
  );
}
