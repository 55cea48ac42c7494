import { useState } from "preact/hooks";
import { linkTo } from "../../state/navigation.ts";
import type { ViewOf } from "../../state/views.ts";
import { Name } from "../../ui/name.tsx";
import { Comparison } from "./comparison.tsx";
import { DownloadButton } from "./download-buttons.tsx";
import { drawnRuns, NO_CHOICE, toggleMarked } from "./run-choice.ts";
import { RunOutputBox } from "./run-output-box.tsx";
import { RunTable } from "./run-table.tsx";
import { useRuns } from "./use-runs.ts";

/** The last runs of a process: the output of one of them, or two compared. */
export function RunsView({ view: { name } }: { view: ViewOf<"runs"> }) {
  const { runs, problem } = useRuns(name);
  const [chosen, setChosen] = useState(NO_CHOICE);
  const drawn = drawnRuns(chosen, runs?.map(({ run }) => run.number) ?? []);
  const [first, second] = drawn.flatMap((number) => runs?.find(({ run }) => run.number === number) ?? []);
  return (
    <section class="runs-view" aria-label={`Runs of ${name}`}>
      <header class="bar">
        <h1 aria-label={`Runs of ${name}`}>
          <span class="soft">Runs of </span>
          <a class="member" {...linkTo({ kind: "process", name }, name)}>
            <Name name={name} />
          </a>
        </h1>
        <span class="actions">
          <DownloadButton target={{ name }} />
        </span>
      </header>
      {problem !== null && (
        <p class="why bad" role="alert">
          {problem}
        </p>
      )}
      {runs?.length === 0 && <p class="empty nothing">It has not run yet.</p>}
      {runs !== null && runs.length > 0 && (
        <div class="runs-body">
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard (axe: scrollable-region-focusable) */}
          <section class="run-list-box" tabIndex={0} aria-label="Last runs">
            <RunTable
              runs={runs}
              drawn={drawn}
              marked={chosen.marked}
              onShow={(number) => setChosen({ shown: number, marked: [] })}
              onMark={(number) => setChosen(toggleMarked(chosen, number))}
            />
            <p class="soft">The manager knows the last 20 runs. Mark two of them to compare them.</p>
          </section>
          {first !== undefined &&
            (second === undefined ? <RunOutputBox name={name} shown={first} /> : <Comparison name={name} left={first} right={second} />)}
        </div>
      )}
    </section>
  );
}
