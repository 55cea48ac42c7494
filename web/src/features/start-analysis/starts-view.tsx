import { useState } from "preact/hooks";
import { durationText, ownTime, PHASE_WORDS, PHASES } from "../../../../src/features/start-analysis/phases.ts";
import type { StartAnalysis, StartChainLink } from "../../../../src/features/start-analysis/wire.ts";
import { linkTo } from "../../state/navigation.ts";
import type { ViewOf } from "../../state/views.ts";
import { clockTime, millisecondsOf } from "../../ui/time.ts";
import { StartChart } from "./start-chart.tsx";
import { useAnalysis } from "./use-analysis.ts";

type Order = "start" | "longest";

/** The last start of a group, or of all processes, as a chart. */
export function StartsView({ view }: { view: ViewOf<"starts"> | ViewOf<"starts_of"> }) {
  const name = view.kind === "starts" ? "" : view.name;
  const [order, setOrder] = useState<Order>("start");
  const [isAll, setAll] = useState(false);
  const { analysis, problem, at } = useAnalysis(name);
  const title = name === "" ? "Last start" : `Last start of ${name}`;
  const earlier = analysis?.processes.filter(({ in_last_start }) => !in_last_start).length ?? 0;
  return (
    <section class="starts" aria-label={title}>
      <header class="bar">
        <h1>{title}</h1>
        <span class="actions">
          <label>
            Order{" "}
            <select value={order} onChange={(event) => setOrder(event.currentTarget.value as Order)}>
              <option value="start">as they began</option>
              <option value="longest">longest first</option>
            </select>
          </label>
          {earlier > 0 && (
            <label>
              <input type="checkbox" checked={isAll} onChange={(event) => setAll(event.currentTarget.checked)} /> with {earlier} started at
              another time
            </label>
          )}
        </span>
      </header>
      {problem !== null && (
        <p class="why bad" role="alert">
          {problem}
        </p>
      )}
      {analysis !== null && <Content analysis={analysis} now={at} order={order} isAll={isAll} />}
    </section>
  );
}

interface ContentProps {
  readonly analysis: StartAnalysis;
  readonly now: number;
  readonly order: Order;
  readonly isAll: boolean;
}

function Content({ analysis, now, order, isAll }: ContentProps) {
  const shown = analysis.processes.filter(({ in_last_start }) => isAll || in_last_start);
  const rows = order === "longest" ? shown.toSorted((a, b) => ownTime(b, now) - ownTime(a, now)) : shown;
  const { unknown } = analysis;
  return (
    <>
      {rows.length > 0 && <Summary analysis={analysis} now={now} />}
      {unknown.length > 0 && (
        <p class="soft note">
          {unknown.length === 1 ? "1 process runs" : `${unknown.length} processes run`} since before this manager: how{" "}
          {unknown.length === 1 ? "it was" : "they were"} started is not known.
        </p>
      )}
      {rows.length === 0 ? (
        <p class="empty nothing">Nothing was started since this manager runs.</p>
      ) : (
        <StartChart starts={rows} chain={analysis.chain} now={now} />
      )}
    </>
  );
}

function Summary({ analysis, now }: { analysis: StartAnalysis; now: number }) {
  const { chain, processes, requested, settled } = analysis;
  const members = processes.filter(({ in_last_start }) => in_last_start);
  const failed = members.filter(({ outcome }) => outcome === "failed").length;
  const took = (settled === null ? now : millisecondsOf(settled)) - millisecondsOf(requested ?? "");
  return (
    <div class="starts-summary">
      <p>
        {members.length === 1 ? "1 process" : `${members.length} processes`}
        {requested !== null && ` at ${clockTime(requested)}`}, {settled === null ? "under way for" : "took"} <b>{durationText(took)}</b>
        {failed > 0 && <span class="bad-text"> · {failed} failed</span>}
      </p>
      <Chain chain={chain} now={now} />
      <Legend hasFailed={failed > 0} />
    </div>
  );
}

/** The processes that the last one waited for, from the first one on. */
function Chain({ chain, now }: { chain: readonly StartChainLink[]; now: number }) {
  return (
    <div class="critical-chain">
      <h2 id="critical-chain">Critical chain</h2>
      <ol aria-labelledby="critical-chain">
        {chain.map((link) => (
          <li key={link.name}>
            <a {...linkTo({ kind: "process", name: link.name })}>{link.name}</a> <span class="soft">{linkText(link, now)}</span>
          </li>
        ))}
      </ol>
    </div>
  );
}

function linkText({ known, from, until }: StartChainLink, now: number): string {
  if (!known) return "not known";
  if (from === null) return "waits";
  return `${durationText((until === null ? now : millisecondsOf(until)) - millisecondsOf(from))}${until === null ? " so far" : ""}`;
}

function Legend({ hasFailed }: { hasFailed: boolean }) {
  return (
    <ul class="legend" aria-label="Legend">
      {PHASES.map((phase) => (
        <li key={phase}>
          <span class={`swatch ${phase}`} aria-hidden="true" /> {PHASE_WORDS[phase]}
        </li>
      ))}
      <li>
        <span class="critical-mark" aria-hidden="true">
          ◆
        </span>{" "}
        in the critical chain
      </li>
      {hasFailed && (
        <li>
          <span class="failed-mark" aria-hidden="true">
            ✕
          </span>{" "}
          failed
        </li>
      )}
    </ul>
  );
}
