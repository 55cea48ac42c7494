import { useEffect, useState } from "preact/hooks";
import type { Incident } from "../../../../src/features/flight/wire.ts";
import { putInAddress } from "../../state/address-parameters.ts";
import type { Span } from "../../ui/plot/finger-span.ts";
import { clockSeconds, millisecondsOf } from "../../ui/time.ts";
import { complain } from "../../ui/toasts.ts";
import type { RecordedFile } from "../recordings/file/public-file.ts";
import type { RecordedMessage } from "../recordings/file/recorded-file.ts";
import { type Happening, happeningsBefore, terminalBefore, terminalsOf } from "./at-moment.ts";
import { StillTerminal } from "./still-terminal.tsx";
import { inside } from "./timeline/axis.ts";
import { readTimeline } from "./timeline/read-timeline.ts";
import { Timeline } from "./timeline/timeline.tsx";
import { MOMENT } from "./views.ts";

/** Shortest time that the axis shows, seconds: an incident may have a single message. */
const MIN_LENGTH_S = 0.05;

const NONE: readonly RecordedMessage[] = [];

interface Props {
  readonly incident: Incident;
  readonly file: RecordedFile;
}

/** A moment of an incident, which can be moved along its time: states, load, a terminal as it was, and what had happened until then. The address is a link to it. */
export function Moment({ incident, file }: Props) {
  const { from } = file.span;
  const [whole] = useState<Span>({ from, until: Math.max(file.span.until, from + MIN_LENGTH_S) });
  const [moment, setMoment] = useState(() => inside(momentOfAddress() ?? millisecondsOf(incident.time) / 1_000, whole));
  const terminals = terminalsOf(file);
  const [name, setName] = useState(() => concerned(terminals, incident) ?? terminals[0] ?? null);
  const messages = useBefore(0, "", () => readTimeline(file));
  const screen = useBefore(moment, name, () =>
    name === null || !terminals.includes(name) ? Promise.resolve(null) : terminalBefore(file, name, moment),
  );
  const happened = useBefore(moment, "", () => happeningsBefore(file, moment));
  const move = (to: number) => {
    setMoment(to);
    putInAddress([MOMENT], [[MOMENT, String(Math.round(to * 1_000))]]);
  };
  return (
    <section class="incident-moment" aria-label="A moment">
      <Timeline
        messages={messages ?? NONE}
        whole={whole}
        triggers={incident.triggers}
        time={moment}
        onTime={move}
        process={name}
        onProcess={setName}
      />
      <div class="moment-parts">
        <div class="moment-terminal">
          {terminals.length === 0 ? (
            <p class="soft">No output was recorded.</p>
          ) : (
            <select aria-label="Terminal" value={name ?? ""} onChange={(event) => setName(event.currentTarget.value)}>
              {name !== null && !terminals.includes(name) && <option value={name}>{`${name}, without output`}</option>}
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
