import { useState } from "preact/hooks";
import { Button } from "../../../ui/button.tsx";
import { IconButton } from "../../../ui/marks/icons.tsx";
import { Name } from "../../../ui/name.tsx";
import { ALL } from "../views.ts";
import { type MergedOptions, TIMES } from "./merged-options.ts";
import type { MergedStore } from "./merged-store.ts";
import { ProcessChooser } from "./process-chooser.tsx";

interface Props {
  readonly of: string;
  readonly members: readonly string[];
  readonly shown: readonly string[];
  readonly store: MergedStore;
  readonly options: MergedOptions;
  readonly onOptions: (part: Partial<MergedOptions>) => void;
  readonly follows: boolean;
  readonly onFollow: (follows: boolean) => void;
  readonly onJump: (time: number) => void;
}

const TIME_WORDS = { none: "no times", clock: "time of day", ago: "age" } as const;

export function MergedBar({ of, members, shown, store, options, onOptions, follows, onFollow, onJump }: Props) {
  const { text, isRegex, times } = options;
  const problem = store.problem.value;
  const { lines, count } = store.drawn.value;
  const missing = store.missing.value;
  const isPaused = store.isPaused.value;
  return (
    <>
      <header class="bar">
        <h1 title={of === ALL ? "Output of all processes" : `Output of ${of}`}>{of === ALL ? "All output" : <Name name={of} />}</h1>
        <ProcessChooser members={members} shown={shown} onChoose={(only) => onOptions({ only })} />
        <input
          type="search"
          class="merged-filter"
          aria-label="Filter lines"
          placeholder={isRegex ? "Regular expression (RE2)" : "Filter lines"}
          aria-invalid={problem !== null ? true : undefined}
          maxLength={1_024}
          value={text}
          onInput={(event) => onOptions({ text: event.currentTarget.value })}
        />
        <Button
          class="switch"
          label="Regular expression"
          title="Regular expression (RE2: no look-around, no back-references)"
          pressed={isRegex}
          onClick={() => onOptions({ isRegex: !isRegex })}
        >
          .*
        </Button>
        <span class="actions">
          <select
            aria-label="Times"
            value={times}
            onChange={(event) => onOptions({ times: event.currentTarget.value as MergedOptions["times"] })}
          >
            {TIMES.map((one) => (
              <option key={one} value={one}>
                {TIME_WORDS[one]}
              </option>
            ))}
          </select>
          <Jump onJump={onJump} />
          <IconButton
            icon={isPaused ? "start" : "pause"}
            label={isPaused ? "Resume" : "Pause"}
            pressed={isPaused}
            onClick={() => store.pause(!isPaused)}
          />
          <IconButton icon="clear" label="Clear" onClick={() => store.clear()} />
          <IconButton
            icon="toEnd"
            label="Follow the newest lines"
            word="Follow"
            pressed={follows}
            onClick={() => {
              onFollow(!follows);
              if (!follows) store.pause(false);
            }}
          />
        </span>
      </header>
      <p class={`merged-count ${problem === null ? "soft" : "bad"}`} role={problem === null ? "status" : "alert"} aria-live="off">
        {problem ?? countText({ lines: lines.length, count, processes: shown.length, isLoading: store.isLoading.value, isPaused })}
        {missing.length > 0 && (
          <span class="warn" title={missing.map(({ name, reason }) => `${name}: ${reason}`).join("\n")}>
            {` · past output of ${missing.length === 1 ? missing[0]?.name : `${missing.length} processes`} is missing: ${missing[0]?.reason}`}
          </span>
        )}
      </p>
    </>
  );
}

interface Counts {
  lines: number;
  count: number;
  processes: number;
  isLoading: boolean;
  isPaused: boolean;
}

function countText({ lines, count, processes, isLoading, isPaused }: Counts): string {
  const of = lines < count ? ` of ${count.toLocaleString("en")}` : "";
  const from = `${lines.toLocaleString("en")}${of} lines of ${processes} ${processes === 1 ? "process" : "processes"}`;
  return `${from}${isLoading ? " · loading past output…" : ""}${isPaused ? " · paused" : ""}`;
}

/** Focuses a field when it appears. */
const focus = (field: HTMLInputElement | null): void => field?.focus();

/** A field for the time of the line to show. */
function Jump({ onJump }: { onJump: (time: number) => void }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <IconButton icon="history" label="Jump to a time" word="Jump" pressed={isOpen} onClick={() => setOpen(!isOpen)} />
      {isOpen && (
        <input
          type="datetime-local"
          step={1}
          aria-label="Time to jump to"
          ref={focus}
          onKeyDown={(event) => {
            if (event.key !== "Escape") return;
            setOpen(false);
            event.stopPropagation();
          }}
          onChange={(event) => {
            const time = event.currentTarget.valueAsNumber;
            // The field has the local time, as if it were UTC.
            if (!Number.isNaN(time)) onJump(new Date(event.currentTarget.value).getTime());
          }}
        />
      )}
    </>
  );
}
