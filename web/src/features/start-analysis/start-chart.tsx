import { useRef } from "preact/hooks";
import { durationText, ownTime, PHASE_WORDS, phasesOf } from "../../../../src/features/start-analysis/phases.ts";
import type { ProcessStart, StartChainLink } from "../../../../src/features/start-analysis/wire.ts";
import { linkTo, showProcess } from "../../state/navigation.ts";
import { isNarrow } from "../../ui/browser/screen.ts";
import { useRowWindow } from "../../ui/list/row-window.ts";
import { Name } from "../../ui/name.tsx";
import { partsOf, type Span, spanOf, ticksOf } from "./chart-scale.ts";

/** Row heights in the style sheet, px: rows out of view are not drawn. */
const rowHeight = () => (isNarrow.value ? 44 : 28);

interface ChartProps {
  readonly starts: readonly ProcessStart[];
  readonly chain: readonly StartChainLink[];
  /** Now, for starts that are under way. */
  readonly now: number;
}

/** A bar for each start. Only the visible rows are drawn; they have the keys of a grid (WAI-ARIA). */
export function StartChart({ starts, chain, now }: ChartProps) {
  const box = useRef<HTMLElement>(null);
  const height = rowHeight();
  const { first, last, drawn, tabStop, ...list } = useRowWindow({ box, rows: starts, keyOf: ({ name }) => name, height });
  const critical = new Set(chain.map(({ name }) => name));
  const span = spanOf(starts, now);
  const ticks = ticksOf(span, isNarrow.value ? 3 : 8);
  const onKey = (event: KeyboardEvent, name: string) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target !== event.currentTarget) return;
    const to = list.target(event.key);
    if (to !== null) list.go(to);
    else if (event.key === "Enter") showProcess(name);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return (
    <section class="starts-chart" ref={box} aria-label="Chart of the start" style={{ "--tick": `${ticks[1]?.left ?? 100}%` }}>
      {/* biome-ignore lint/a11y/noNoninteractiveElementToInteractiveRole: the WAI-ARIA grid pattern allows it, and its rows take the focus */}
      <table role="grid" aria-rowcount={starts.length + 1} aria-label="Starts of processes">
        <thead>
          <tr>
            <th scope="col">Process</th>
            <th scope="col" class="own">
              Own time
            </th>
            <th scope="col" class="axis">
              <span class="ticks">
                {ticks.map(({ left, text }) => (
                  <span key={text} style={{ left: `${left}%` }} class={left > 90 ? "at-end" : ""}>
                    {text}
                  </span>
                ))}
              </span>
            </th>
          </tr>
        </thead>
        <tbody>
          {first > 0 && <tr class="spacer" style={{ height: `${first * height}px` }} />}
          {drawn.map((start, index) => (
            <tr
              key={start.name}
              data-key={start.name}
              class={critical.has(start.name) ? "critical" : ""}
              tabIndex={start.name === tabStop ? 0 : -1}
              aria-rowindex={first + index + 2}
              onFocus={() => list.onFocus(start.name)}
              onKeyDown={(event) => onKey(event, start.name)}
            >
              <Row start={start} span={span} isCritical={critical.has(start.name)} now={now} />
            </tr>
          ))}
          {last < starts.length && <tr class="spacer" style={{ height: `${(starts.length - last) * height}px` }} />}
        </tbody>
      </table>
    </section>
  );
}

function Row({ start, span, isCritical, now }: { start: ProcessStart; span: Span; isCritical: boolean; now: number }) {
  const { name, outcome, after } = start;
  const parts = partsOf(start, span, now);
  const end = parts.at(-1);
  const text = rowText(start, isCritical, now);
  return (
    <>
      <th scope="row">
        <a {...linkTo({ kind: "process", name }, name)} tabIndex={-1}>
          {isCritical && (
            <span class="critical-mark" aria-hidden="true">
              ◆
            </span>
          )}
          <Name name={name} />
        </a>
      </th>
      <td class="own">{durationText(ownTime(start, now))}</td>
      <td class="track">
        <a {...linkTo({ kind: "process", name }, text)} tabIndex={-1} title={text} class="bars">
          {parts.map(({ phase, left, width }) => (
            <span key={phase} class={`part ${phase}`} style={{ left: `${left}%`, width: `${width}%` }} />
          ))}
          {outcome === "failed" && (
            <span class="failed-mark" style={{ left: `${end === undefined ? 0 : end.left + end.width}%` }}>
              ✕
            </span>
          )}
          {after !== null && parts[0]?.phase === "waiting" && parts[0].width > 16 && !isNarrow.value && (
            <span class="waited-for" style={{ left: `${parts[0].left}%`, width: `${parts[0].width}%` }}>
              for {after}
            </span>
          )}
        </a>
      </td>
    </>
  );
}

/** The whole row in words, for screen readers and as a tooltip. */
function rowText(start: ProcessStart, isCritical: boolean, now: number): string {
  const { name, after, outcome, failure, attempts } = start;
  const parts = phasesOf(start, now).map(
    (phase) =>
      `${phase.name === "waiting" && after !== null ? `waiting for ${after}` : PHASE_WORDS[phase.name]} ${durationText(phase.until - phase.from)}`,
  );
  const words = { up: "", under_way: "under way", ended: "ended before it was ready", failed: `failed: ${failure ?? ""}` }[outcome];
  return [name, ...parts, attempts > 1 ? `${attempts} attempts` : "", words, isCritical ? "in the critical chain" : ""]
    .filter((text) => text !== "")
    .join(", ");
}
