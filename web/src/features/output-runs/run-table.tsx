import type { TargetedKeyboardEvent } from "preact";
import { endText, type ShownRun } from "../../../../src/client/shown/run-list.ts";
import { bytesText, spanText } from "../../../../src/client/shown/units.ts";
import { clockTime } from "../../ui/time.ts";

interface Props {
  readonly runs: readonly ShownRun[];
  /** Numbers of the runs whose output is drawn beside the table, and of those that are marked for a comparison. */
  readonly drawn: readonly number[];
  readonly marked: readonly number[];
  readonly onShow: (number: number) => void;
  readonly onMark: (number: number) => void;
}

/** The last runs, newest first. A run's button shows its output; two that are marked are compared. */
export function RunTable({ runs, drawn, marked, onShow, onMark }: Props) {
  return (
    <table class="run-list" onKeyDown={stepRow}>
      <thead>
        <tr>
          <th>Run</th>
          <th>Started</th>
          <th class="number">Length</th>
          <th class="number of-output">Output</th>
          <th>How it ended</th>
          <th>Compare</th>
        </tr>
      </thead>
      <tbody>
        {runs.map((shown) => {
          const { number, start_time } = shown.run;
          const isDrawn = drawn.includes(number);
          return (
            <tr key={shown.run.run_id} class={isDrawn ? "current" : ""}>
              <td>
                <button type="button" class="linklike show-run" aria-pressed={isDrawn && drawn.length === 1} onClick={() => onShow(number)}>
                  Run {number}
                </button>
              </td>
              <td>{start_time === null ? "—" : clockTime(start_time)}</td>
              <td class="number">{lengthText(shown)}</td>
              <td class="number of-output">{outputText(shown)}</td>
              <td class="of-end">
                <span class={toneOf(shown)}>{endText(shown) ?? "runs"}</span>
                {shown.next !== null && <span class="soft">, {shown.next}</span>}
              </td>
              <td class="of-compare">
                <input
                  type="checkbox"
                  aria-label={`Compare run ${number}`}
                  checked={marked.includes(number)}
                  onChange={() => onMark(number)}
                />
              </td>
            </tr>
          );
        })}
      </tbody>
    </table>
  );
}

export const lengthText = ({ lengthMs }: ShownRun): string => (lengthMs === null ? "—" : spanText(lengthMs));
export const outputText = ({ outputBytes }: ShownRun): string => (outputBytes === null ? "—" : bytesText(outputBytes));

/** The colour of an end: that of a crash, or none. */
export const toneOf = ({ how, end }: ShownRun): string => (how === null ? "good" : end === "crashed" ? "bad" : "");

/** Arrow keys move between the controls of the same column. */
function stepRow(event: TargetedKeyboardEvent<HTMLElement>): void {
  const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
  const { target } = event;
  if (step === undefined || !(target instanceof HTMLElement)) return;
  const kind = target.matches("input") ? "input" : ".show-run";
  const all = [...event.currentTarget.querySelectorAll<HTMLElement>(`tbody ${kind}`)];
  all[all.indexOf(target) + step]?.focus();
  event.preventDefault();
}
