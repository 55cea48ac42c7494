import { useState } from "preact/hooks";
import { endText, type ShownRun } from "../../../../src/client/shown/run-list.ts";
import { downloadFrom } from "../../ui/browser/download.ts";
import { Button } from "../../ui/button.tsx";
import { Icon } from "../../ui/marks/icons.tsx";
import { downloadRefusal } from "./download-buttons.tsx";
import { outputAddress } from "./output-address.ts";
import { linesOf, useRunOutput } from "./run-output.ts";
import { lengthText, toneOf } from "./run-table.tsx";

/** Lines that are shown; the download has all. */
const SHOWN_LINES = 2_000;

/** The output of one run only, as text. */
export function RunOutputBox({ name, shown }: { name: string; shown: ShownRun }) {
  const { number, stop_time } = shown.run;
  const [loads, setLoads] = useState(0);
  const refusal = downloadRefusal({ name });
  const { text, problem } = useRunOutput(name, { run: number, lines: SHOWN_LINES, again: `${loads} ${stop_time}` });
  const isCut = text !== null && linesOf(text).length >= SHOWN_LINES;
  return (
    <section class="run-output" aria-label={`Output of run ${number}`}>
      <header>
        <h2>Run {number}</h2>
        <span class={toneOf(shown)}>{endText(shown) ?? "runs"}</span>
        <span class="soft">{lengthText(shown)}</span>
        <span class="run-buttons">
          {stop_time === null && (
            <Button onClick={() => setLoads(loads + 1)}>
              <Icon name="reload" />
              Refresh
            </Button>
          )}
          <Button needsManager forbidden={refusal} onClick={() => downloadFrom(outputAddress({ target: { name }, run: number }))}>
            <Icon name="download" />
            Text
          </Button>
          <Button
            needsManager
            forbidden={refusal}
            onClick={() => downloadFrom(outputAddress({ target: { name }, run: number, raw: true }))}
          >
            <Icon name="download" />
            With colours
          </Button>
        </span>
      </header>
      {isCut && <p class="soft">The last {SHOWN_LINES.toLocaleString("en-US")} lines; the download has all that is kept.</p>}
      {problem !== null && (
        <p class="bad" role="alert">
          {problem}
        </p>
      )}
      {text === null ? (
        problem === null && <p class="soft">Loading …</p>
      ) : text === "" ? (
        <p class="soft">This run has printed nothing.</p>
      ) : (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard (axe: scrollable-region-focusable)
        <pre class="run-text" tabIndex={0}>
          {text}
        </pre>
      )}
    </section>
  );
}
