import { signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useEffect, useMemo, useState } from "preact/hooks";
import { cpuText, memoryText } from "../../../../src/client/shown/load-text.ts";
import { endText, type ShownRun } from "../../../../src/client/shown/run-list.ts";
import { clockTime } from "../../ui/time.ts";
import { compareLines, type LinePair, MAX_COMPARED_LINES } from "./compare-lines.ts";
import { type Range, type RunLoad, requestRunLoad } from "./run-load.ts";
import { linesOf, useRunOutput } from "./run-output.ts";
import { lengthText, outputText, toneOf } from "./run-table.tsx";

const ignoresNumbers = signal(true);

/** Two runs beside each other: their figures, and their last lines, aligned. */
export function Comparison({ name, left, right }: { name: string; left: ShownRun; right: ShownRun }) {
  return (
    <section class="run-comparison" aria-label={`Runs ${left.run.number} and ${right.run.number} compared`}>
      <Figures name={name} runs={[left, right]} />
      <Lines name={name} left={left} right={right} />
    </section>
  );
}

function Figures({ name, runs }: { name: string; runs: readonly [ShownRun, ShownRun] }) {
  const loads = [useLoad(name, runs[0]), useLoad(name, runs[1])];
  const row = (title: string, cells: readonly ComponentChildren[]) => (
    <tr>
      <th scope="row">{title}</th>
      {cells.map((cell, index) => (
        <td key={index}>{cell}</td>
      ))}
    </tr>
  );
  return (
    <table class="run-figures">
      <thead>
        <tr>
          <th>
            <span class="unseen">Figure</span>
          </th>
          {runs.map(({ run }) => (
            <th key={run.run_id} scope="col">
              Run {run.number}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>
        {row(
          "Ended",
          runs.map((shown) => <span class={toneOf(shown)}>{endText(shown) ?? "runs"}</span>),
        )}
        {row(
          "Started",
          runs.map(({ run }) => (run.start_time === null ? "—" : clockTime(run.start_time))),
        )}
        {row("Length", runs.map(lengthText))}
        {row("Output", runs.map(outputText))}
        {row(
          "CPU",
          loads.map((load) => rangeText(load?.cpu, (value) => `${cpuText(value)} %`)),
        )}
        {row(
          "Memory",
          loads.map((load) => rangeText(load?.memory, memoryText)),
        )}
      </tbody>
    </table>
  );
}

const rangeText = (range: Range | null | undefined, text: (value: number) => string) =>
  range ? `${text(range.mean)}, at most ${text(range.max)}` : "not measured";

/** The load of a run from the load history, which measures every ten seconds; null: not known. */
function useLoad(name: string, { run: { start_time, stop_time } }: ShownRun): RunLoad | null {
  const [load, setLoad] = useState<RunLoad | null>(null);
  useEffect(() => {
    let isOver = false;
    setLoad(null);
    if (start_time === null) return;
    requestRunLoad(name, start_time, stop_time ?? new Date().toISOString().slice(0, -1))
      .then((came) => !isOver && setLoad(came))
      .catch((error: unknown) => console.info("no load of a run", error));
    return () => {
      isOver = true;
    };
  }, [name, start_time, stop_time]);
  return load;
}

function Lines({ name, left, right }: { name: string; left: ShownRun; right: ShownRun }) {
  const outputs = [left, right].map(({ run }) => useRunOutput(name, { run: run.number, lines: MAX_COMPARED_LINES, again: run.stop_time }));
  const [before, after] = outputs.map(({ text }) => text);
  const ignoreNumbers = ignoresNumbers.value;
  const pairs = useMemo(
    () => (before == null || after == null ? null : compareLines(linesOf(before), linesOf(after), { ignoreNumbers })),
    [before, after, ignoreNumbers],
  );
  const problems = [...new Set(outputs.flatMap(({ problem }) => problem ?? []))];
  const differing = pairs?.filter(({ isEqual }) => !isEqual).length ?? 0;
  return (
    <>
      <p class="compare-tools">
        <label class="check">
          <input
            type="checkbox"
            checked={ignoreNumbers}
            onChange={() => {
              ignoresNumbers.value = !ignoreNumbers;
            }}
          />
          Ignore numbers
        </label>
        {pairs !== null && (
          <span class="soft" role="status">
            {differing === 0
              ? `The last lines are equal${ignoreNumbers ? ", but for numbers" : ""}`
              : `${differing} of ${pairs.length} lines differ`}
          </span>
        )}
      </p>
      {problems.map((problem) => (
        <p key={problem} class="bad" role="alert">
          {problem}
        </p>
      ))}
      {pairs === null ? (
        problems.length === 0 && <p class="soft">Loading …</p>
      ) : (
        <Pairs pairs={pairs} numbers={[left.run.number, right.run.number]} />
      )}
    </>
  );
}

function Pairs({ pairs, numbers }: { pairs: readonly LinePair[]; numbers: readonly [number, number] }) {
  const cell = (text: string | null, isEqual: boolean, side: 0 | 1) => (
    <td class={text === null ? "none" : isEqual ? "same" : "differs"} data-run={numbers[side]}>
      {!isEqual && text !== null && <span class="unseen">{`Only in run ${numbers[side]}: `}</span>}
      {text}
    </td>
  );
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard (axe: scrollable-region-focusable)
    <section class="line-pairs" tabIndex={0} aria-label="Last lines of both runs">
      <table>
        <thead class="unseen">
          <tr>
            {numbers.map((number) => (
              <th key={number}>Run {number}</th>
            ))}
          </tr>
        </thead>
        <tbody>
          {pairs.map(({ left, right, isEqual }, index) => (
            <tr key={index} class={isEqual ? "same" : ""}>
              {cell(left, isEqual, 0)}
              {cell(right, isEqual, 1)}
            </tr>
          ))}
        </tbody>
      </table>
      {pairs.length === 0 && <p class="soft">Neither run has printed anything.</p>}
    </section>
  );
}
