import { useState } from "preact/hooks";
import { Button } from "../../../ui/button.tsx";
import { Dialog } from "../../../ui/dialog.tsx";
import { Labelled } from "../../../ui/labelled.tsx";
import { MAX_TRACES, type Trace, titleOfTrace } from "../plot/traces.ts";
import { type DerivedKind, derivedOf, MEAN_SECONDS } from "./derived.ts";
import { addDerived, plotted } from "./plotted.ts";

const KINDS: readonly (readonly [DerivedKind, string])[] = [
  ["difference", "Difference of two fields"],
  ["derivative", "Derivative"],
  ["mean", "Moving mean"],
  ["norm", "Norm of several fields"],
];
const USUAL_SECONDS = 0.1;

/** Adds a series that is computed from plotted fields. */
export function DeriveDialog({ traces, onClose }: { traces: readonly Trace[]; onClose: () => void }) {
  const [kind, setKind] = useState<DerivedKind>(traces.length > 1 ? "difference" : "derivative");
  const [first, setFirst] = useState(0);
  const [second, setSecond] = useState(1);
  const [seconds, setSeconds] = useState(USUAL_SECONDS);
  const [members, setMembers] = useState<readonly Trace[]>(traces);
  const indices = { difference: [first, second], derivative: [first], mean: [first], norm: [] }[kind];
  const inputs = kind === "norm" ? members : indices.flatMap((index) => traces[index] ?? []);
  const derived = derivedOf(kind, inputs, seconds);
  const isFull = plotted.value.length >= MAX_TRACES;
  const add = () => {
    if (derived === null || isFull) return;
    addDerived(derived);
    onClose();
  };
  const choose = (label: string, index: number, onChange: (index: number) => void) => (
    <Labelled text={label}>
      <select value={index} onChange={(event) => onChange(Number(event.currentTarget.value))}>
        {traces.map((trace, at) => (
          <option key={titleOfTrace(trace)} value={at}>
            {titleOfTrace(trace)}
          </option>
        ))}
      </select>
    </Labelled>
  );
  return (
    <Dialog label="Derive a series" title onClose={onClose}>
      <form
        class="call-form"
        onSubmit={(event) => {
          event.preventDefault();
          add();
        }}
      >
        <Labelled text="Series">
          <select data-first value={kind} onChange={(event) => setKind(event.currentTarget.value as DerivedKind)}>
            {KINDS.map(([value, word]) => (
              <option key={value} value={value}>
                {word}
              </option>
            ))}
          </select>
        </Labelled>
        {kind === "norm" ? (
          <fieldset class="derive-members">
            <legend>Fields</legend>
            {traces.map((trace) => (
              <label key={titleOfTrace(trace)} class="check">
                <input
                  type="checkbox"
                  checked={members.includes(trace)}
                  onChange={() => setMembers(traces.filter((one) => members.includes(one) !== (one === trace)))}
                />
                {titleOfTrace(trace)}
              </label>
            ))}
          </fieldset>
        ) : (
          choose("Field", first, setFirst)
        )}
        {kind === "difference" && choose("Subtract", second, setSecond)}
        {kind === "mean" && (
          <Labelled text="Length of the mean, seconds">
            <input
              type="number"
              min={MEAN_SECONDS.least}
              max={MEAN_SECONDS.most}
              step="any"
              value={seconds}
              onInput={(event) => setSeconds(event.currentTarget.valueAsNumber)}
            />
          </Labelled>
        )}
        <p class="soft" role="status">
          {problemOf({ isFull, hasTraces: traces.length > 0, isComplete: derived !== null, kind })}
        </p>
        <div class="dialog-buttons">
          <Button onClick={onClose}>Cancel</Button>
          <button type="submit" class="strong" aria-disabled={derived === null || isFull ? true : undefined}>
            Add
          </button>
        </div>
      </form>
    </Dialog>
  );
}

interface Entered {
  readonly isFull: boolean;
  readonly hasTraces: boolean;
  readonly isComplete: boolean;
  readonly kind: DerivedKind;
}

/** Why the series cannot be added, and what to do; empty if it can. */
function problemOf({ isFull, hasTraces, isComplete, kind }: Entered): string {
  if (isFull) return `A plot has at most ${MAX_TRACES} traces. Remove one first.`;
  if (!hasTraces) return "Add a field of a topic to the plot first.";
  if (isComplete) return "";
  if (kind === "mean") return `Enter a length from ${MEAN_SECONDS.least} to ${MEAN_SECONDS.most} s.`;
  return kind === "norm" ? "Select at least one field." : "Add a second field to the plot first.";
}
