import { useEffect, useState } from "preact/hooks";
import type { Incident } from "../../../../src/features/flight/wire.ts";
import { putInAddress } from "../../state/address-parameters.ts";
import { clockSeconds, millisecondsOf } from "../../ui/time.ts";
import { complain } from "../../ui/toasts.ts";
import type { RecordedFile } from "../recordings/file/public-file.ts";
import { type Happening, happeningsBefore, terminalBefore, terminalsOf } from "./at-moment.ts";
import { StillTerminal } from "./still-terminal.tsx";
import { MOMENT } from "./views.ts";

/** Step of the slider, seconds. */
const STEP_S = 0.05;

interface Props {
  readonly incident: Incident;
  readonly file: RecordedFile;
}

/** A moment of an incident, which can be moved: a terminal as it was, and what had happened until then. The address is a link to it. */
export function Moment({ incident, file }: Props) {
  const { from } = file.span;
  // The slider counts whole steps: fractions of seconds since 1970 are not exact, and could leave out the last step. That one is after the end.
  const steps = Math.floor((file.span.until - from) / STEP_S) + 1;
  const until = from + steps * STEP_S;
  const [moment, setMoment] = useState(() => Math.min(until, Math.max(from, momentOfAddress() ?? millisecondsOf(incident.time) / 1_000)));
  const terminals = terminalsOf(file);
  const [name, setName] = useState(() => concerned(terminals, incident) ?? terminals[0] ?? null);
  const screen = useBefore(moment, name, () => (name === null ? Promise.resolve(null) : terminalBefore(file, name, moment)));
  const happened = useBefore(moment, "", () => happeningsBefore(file, moment));
  const move = (to: number) => {
    setMoment(to);
    putInAddress([MOMENT], [[MOMENT, String(Math.round(to * 1_000))]]);
  };
  return (
    <section class="incident-moment" aria-label="A moment">
      <div class="moment-row">
        <input
          type="range"
          aria-label="Moment"
          aria-valuetext={clockSeconds(moment, 2)}
          min={0}
          max={steps}
          value={Math.round((moment - from) / STEP_S)}
          onInput={(event) => move(from + event.currentTarget.valueAsNumber * STEP_S)}
        />
        <output>{clockSeconds(moment, 2)}</output>
      </div>
      <div class="moment-parts">
        <div class="moment-terminal">
          {terminals.length === 0 ? (
            <p class="soft">No output was recorded.</p>
          ) : (
            <select aria-label="Terminal" value={name ?? ""} onChange={(event) => setName(event.currentTarget.value)}>
              {terminals.map((each) => (
                <option key={each} value={each}>
                  {each}
                </option>
              ))}
            </select>
          )}
          {screen && name !== null && <StillTerminal label={`Terminal of ${name} at ${clockSeconds(moment, 2)}`} screen={screen} />}
        </div>
        <Happened happened={happened ?? []} />
      </div>
    </section>
  );
}

function Happened({ happened }: { happened: readonly Happening[] }) {
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, and is reached by keys so
    <ol class="moment-happened" aria-label="What had happened, newest first" tabIndex={0}>
      {happened.map(({ time, text, tone }, index) => (
        <li key={`${time} ${index}`} class={tone}>
          <span class="soft">{clockSeconds(time, 2)}</span> {text}
        </li>
      ))}
      {happened.length === 0 && <li class="soft">Nothing was logged before.</li>}
    </ol>
  );
}

/** What is read for the newest moment. While it is read, the last one stays; moments that were passed meanwhile are skipped. */
function useBefore<T>(moment: number, about: string | null, read: () => Promise<T>): T | null {
  const [value, setValue] = useState<T | null>(null);
  useEffect(() => {
    let isOver = false;
    const timer = setTimeout(() => {
      read().then((found) => !isOver && setValue(found), complain);
    });
    return () => {
      isOver = true;
      clearTimeout(timer);
    };
  }, [moment, about]);
  return value;
}

/** The process that the first trigger is about, if its terminal was recorded. */
function concerned(terminals: readonly string[], { triggers }: Incident): string | undefined {
  return terminals.find((name) => triggers.some(({ text }) => text.startsWith(`${name} `)));
}

function momentOfAddress(): number | null {
  const milliseconds = Number(new URLSearchParams(location.search).get(MOMENT) ?? Number.NaN);
  return Number.isFinite(milliseconds) ? milliseconds / 1_000 : null;
}
