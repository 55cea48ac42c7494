import { computed, signal } from "@preact/signals";
import { LOG_LEVELS, type LogLevel } from "../../../src/protocol/resources/resources.ts";
import { refusalOf } from "../state/access.ts";
import { popOut, poppedOut, show } from "../state/navigation.ts";
import { logOpen } from "../state/settings.ts";
import { client } from "../state/store.ts";
import { downloadFrom } from "../ui/browser/download.ts";
import { isNarrow } from "../ui/browser/screen.ts";
import { IconButton } from "../ui/marks/icons.tsx";
import { MenuButton } from "../ui/menu.tsx";
import { requestLevel } from "./log-history.ts";
import { LogRows } from "./log-rows.tsx";
import type { LogFilter } from "./log-selection.ts";
import { logSources } from "./log-store.ts";
import { soughtTime } from "./sought-time.ts";

const level = signal<LogLevel>("info");
const source = signal("");
const search = signal("");
const follows = signal(true);
const filter = computed<LogFilter>(() => ({ level: level.value, source: source.value, search: search.value }));

/** The manager's log; `docked`: below everything else, otherwise in a tab or in a window of its own. */
export function LogView({ docked = false }: { docked?: boolean }) {
  return (
    <section class="log" aria-label="Manager log">
      <header class="bar">
        <h2>Log</h2>
        <Filters />
        <span class="grow" />
        <IconButton
          icon="toEnd"
          label="Follow the newest entries"
          word="Follow"
          pressed={follows.value}
          onClick={() => {
            follows.value = !follows.value;
            soughtTime.value = null;
          }}
        />
        <MenuButton
          label="More actions of the log"
          items={[
            { icon: "download", label: "Download the log", forbidden: logRefusal(), run: downloadLog },
            ...(docked ? [{ icon: "splitRight" as const, label: "Open log in tab", run: () => show({ kind: "log" }, true) }] : []),
            ...(poppedOut || isNarrow.value
              ? []
              : [{ icon: "popOut" as const, label: "Open log in new window", run: () => popOut({ kind: "log" }) }]),
          ]}
        />
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
      <LogRows
        filter={filter.value}
        follows={follows.value}
        onFollow={(now) => {
          follows.value = now;
          if (now) soughtTime.value = null;
        }}
      />
    </section>
  );
}

/** Why the user may not download the log, as a sentence; null: the user may. */
export const logRefusal = (): string | null => refusalOf({ need: "viewer", on: null }, "The whole log");

/** Downloads all entries of the shown level that the manager keeps, as text. */
export function downloadLog(): void {
  downloadFrom(`/mgr/log?raw&level=${level.value}`, "manager.log");
}

/** Shows the log's entries that name a process, the newest at the bottom. */
export function showInLog(name: string): void {
  level.value = "info";
  source.value = "";
  search.value = name;
  follows.value = true;
  soughtTime.value = null;
  show({ kind: "log" });
}

/** Shows the log at a time, as on the wire, with the entry that was the newest then marked. */
export function openLogAt(time: string): void {
  source.value = "";
  search.value = "";
  follows.value = false;
  soughtTime.value = { time };
  show({ kind: "log" });
}

function Filters() {
  return (
    <>
      <select
        aria-label="Minimum level"
        value={level.value}
        onChange={(event) => {
          level.value = event.currentTarget.value as LogLevel;
          requestLevel(client, level.value);
        }}
      >
        {LOG_LEVELS.map((name) => (
          <option key={name} value={name}>
            {name}
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
        {logSources.value.map((name) => (
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
