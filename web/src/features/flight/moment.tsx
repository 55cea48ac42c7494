import { useEffect, useMemo, useRef, useState } from "preact/hooks";
import type { Incident } from "../../../../src/features/flight/wire.ts";
import { putInAddress } from "../../state/address-parameters.ts";
import type { Span } from "../../ui/plot/finger-span.ts";
import { clockSeconds, millisecondsOf } from "../../ui/time.ts";
import { complain } from "../../ui/toasts.ts";
import type { RecordedFile } from "../recordings/file/public-file.ts";
import type { RecordedMessage } from "../recordings/file/recorded-file.ts";
import { type Happening, happeningsBefore, terminalBefore, terminalsOf } from "./at-moment.ts";
import { partOfAddress, partParameters } from "./incident-address.ts";
import { StillTerminal } from "./still-terminal.tsx";
import { inside, within } from "./timeline/axis.ts";
import { readTimeline } from "./timeline/read-timeline.ts";
import { Timeline } from "./timeline/timeline.tsx";
import { useAxis } from "./timeline/use-axis.ts";
import { TopicPlot } from "./topic-plot.tsx";
import { PART } from "./views.ts";

/** Shortest time that the axis shows, seconds: an incident may have a single message. */
const MIN_LENGTH_S = 0.05;
/** Time after the last change before the address is changed, milliseconds: browsers limit how often it may be. */
const ADDRESS_MS = 150;

const NONE: readonly RecordedMessage[] = [];

interface Props {
  readonly incident: Incident;
  readonly file: RecordedFile;
}

/** An incident along its time: states, load, network and topics, and for a moment of it a terminal as it was, and what had happened until then. The address is a link to what is shown. */
export function Moment({ incident, file }: Props) {
  const [asked] = useState(() => partOfAddress(location.search));
  const [whole] = useState<Span>({ from: file.span.from, until: Math.max(file.span.until, file.span.from + MIN_LENGTH_S) });
  const causes = useMemo(
    () => incident.triggers.map(({ time, text }) => ({ at: millisecondsOf(time) / 1_000, text })),
    [incident.triggers],
  );
  const first = {
    time: inside(asked.moment ?? millisecondsOf(incident.time) / 1_000, whole),
    shown: asked.span === null ? whole : within(asked.span, whole),
  };
  const axis = useAxis(whole, first, inside(causes[0]?.at ?? whole.until, whole));
  const moment = axis.time;
  const terminals = terminalsOf(file);
  const [name, setName] = useState(() => asked.terminal ?? concerned(terminals, incident) ?? terminals[0] ?? null);
  const [traces, setTraces] = useState(asked.traces);
  const messages = useBefore(0, "", () => readTimeline(file));
  const screen = useBefore(moment, name, () =>
    name === null || !terminals.includes(name) ? Promise.resolve(null) : terminalBefore(file, name, moment),
  );
  const happened = useBefore(moment, "", () => happeningsBefore(file, moment));
  const part = partParameters({ moment, span: axis.shown === whole ? null : axis.shown, terminal: name, traces });
  const begun = useRef(JSON.stringify(part));
  useEffect(() => {
    // What is shown at first is what the address says.
    if (begun.current === JSON.stringify(part)) return;
    begun.current = "";
    const timer = setTimeout(() => putInAddress(Object.values(PART), part), ADDRESS_MS);
    return () => clearTimeout(timer);
  }, [JSON.stringify(part)]);
  return (
    <section class="incident-moment" aria-label="A moment">
      <Timeline messages={messages ?? NONE} axis={axis} causes={causes} process={name} onProcess={setName} />
      <TopicPlot id={incident.id} file={file} axis={axis} causes={causes} traces={traces} onTraces={setTraces} />
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
