import { useEffect, useLayoutEffect, useRef, useState } from "preact/hooks";
import { MgrError, messageOf } from "../../../../src/base/errors.ts";
import { counted } from "../../../../src/base/text/counted.ts";
import type { PresetDifference } from "../../../../src/features/presets/wire.ts";
import { refusalOf } from "../../state/access.ts";
import { client } from "../../state/store.ts";
import { Button } from "../../ui/button.tsx";
import { Labelled } from "../../ui/labelled.tsx";
import { ownersOfService } from "../data-plane/public.ts";

interface Props {
  readonly name: string;
  /** Names of presets with which it can be compared. */
  readonly others: readonly string[];
  readonly onBack: () => void;
  readonly onLoaded: (text: string) => void;
}
type Result = PresetDifference["result"];

/** Maximum number of differences that are drawn. */
const MAX_ROWS = 500;
/** What loading the preset means for a parameter. */
const FROM_NOW: Readonly<Record<Result, string>> = { same: "", different: "changes", missing: "not there now", extra: "stays" };
const FROM_OTHER: Readonly<Record<Result, string>> = {
  same: "",
  different: "differs",
  missing: "only in this one",
  extra: "only in the other one",
};

/** The differences between a preset and the overrides now, and a button that loads it; or between two presets. */
export function Comparison({ name, others, onBack, onLoaded }: Props) {
  /** Another preset; empty: the overrides now. */
  const [other, setOther] = useState("");
  const [differences, setDifferences] = useState<readonly PresetDifference[] | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);
  /** Whether a load was refused because of some values. */
  const [isRefused, setRefused] = useState(false);
  /** Number of comparisons that were requested after a load. */
  const [reads, setReads] = useState(0);
  const box = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => box.current?.querySelector<HTMLElement>("select")?.focus(), []);
  useEffect(() => {
    let isOver = false;
    client.request({ type: "compare_preset", name, ...(other === "" ? {} : { with: other }) }).then(
      (answer) => !isOver && setDifferences(answer.differences),
      (error: unknown) => !isOver && setProblem(messageOf(error)),
    );
    return () => {
      isOver = true;
    };
  }, [name, other, reads]);
  const load = async (partial: boolean) => {
    setBusy(true);
    setProblem(null);
    try {
      const { changed, unchanged, failures } = await client.request({ type: "load_preset", name, partial });
      const text = `${counted(changed, "override")} changed, ${unchanged} unchanged`;
      if (failures.length === 0) return onLoaded(`Loaded ${name}: ${text}.`);
      setProblem(`${text}. Not set: ${failures.map((each) => `${each.service}:${each.parameter}: ${each.message}`).join("; ")}`);
    } catch (error) {
      setProblem(messageOf(error));
      setRefused(error instanceof MgrError && error.code === "conflict");
    }
    setBusy(false);
    setReads(reads + 1);
  };
  const differing = differences?.filter(({ result }) => result !== "same") ?? [];
  const changes = differing.filter(({ result }) => result !== "extra");
  const refusal = refusalOf({ type: "load_preset", owners: ownersOf(differences ?? []) }, "Loading this preset");
  const isNow = other === "";
  const canLoad = isNow && !isBusy && changes.length > 0;
  return (
    <div class="call-form" ref={box}>
      <Labelled text="Compare with">
        <select
          value={other}
          onChange={(event) => {
            setDifferences(null);
            setProblem(null);
            setOther(event.currentTarget.value);
          }}
        >
          <option value="">The overrides now</option>
          {others.map((each) => (
            <option key={each} value={each}>
              {each}
            </option>
          ))}
        </select>
      </Labelled>
      {differences !== null && differing.length === 0 && <p class="soft">No differences.</p>}
      {differing.length > 0 && (
        <DifferenceTable differences={differing} other={isNow ? "Now" : other} words={isNow ? FROM_NOW : FROM_OTHER} />
      )}
      {problem !== null && (
        <p class="bad" role="alert">
          {problem}
        </p>
      )}
      <div class="dialog-buttons">
        <Button onClick={onBack}>Back</Button>
        {isRefused && (
          <Button needsManager enabled={canLoad} forbidden={refusal} onClick={() => void load(true)}>
            Load the rest
          </Button>
        )}
        <Button class="strong" needsManager enabled={canLoad} forbidden={refusal} onClick={() => void load(false)}>
          {isBusy ? "Loading…" : "Load"}
        </Button>
      </div>
    </div>
  );
}

interface TableProps {
  readonly differences: readonly PresetDifference[];
  readonly other: string;
  readonly words: Readonly<Record<Result, string>>;
}

function DifferenceTable({ differences, other, words }: TableProps) {
  const more = differences.length - MAX_ROWS;
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: a scrolling region has to be reachable by keyboard (axe: scrollable-region-focusable)
    <section class="data-table preset-differences" tabIndex={0} aria-label="Differences">
      <table>
        <thead>
          <tr>
            <th scope="col">Parameter</th>
            <th scope="col" class="number">
              {other}
            </th>
            <th scope="col" class="number">
              Preset
            </th>
            <th scope="col">Result</th>
          </tr>
        </thead>
        <tbody>
          {differences.slice(0, MAX_ROWS).map((each) => (
            <tr key={`${each.service}:${each.parameter}`}>
              <td title={`${each.service}:${each.parameter}`}>
                {each.parameter} <span class="soft">{each.service}</span>
              </td>
              <td class="number">{each.other ?? "–"}</td>
              <td class="number">{each.value ?? "–"}</td>
              <td class="soft">{words[each.result]}</td>
            </tr>
          ))}
        </tbody>
      </table>
      {more > 0 && <p class="soft">{counted(more, "more difference")}: mgr preset compare lists all.</p>}
    </section>
  );
}

/** The processes that have parameters of a preset; null: everything is needed. */
function ownersOf(differences: readonly PresetDifference[]): readonly string[] | null {
  const services = new Set(differences.filter(({ result }) => result !== "extra").map(({ service }) => service));
  const owners = [...services].map(ownersOfService);
  return owners.length === 0 || owners.includes(null) ? null : owners.flatMap((each) => each ?? []);
}
