import { chainText, stepsOf } from "../../../../src/features/topic-latency/latency-words.ts";
import type { LatencyFigures, LatencyPath } from "../../../../src/features/topic-latency/wire.ts";
import { clockTime } from "../../ui/time.ts";

/** The steps of one chain in milliseconds, the distribution of the whole chain, and its worst case. */
export function PathFigures({ path }: { path: LatencyPath }) {
  const { topics, total } = path;
  const chain = chainText(topics);
  return (
    <>
      <table class="latency-table" aria-label={`Latency of ${chain}`}>
        <thead>
          <tr>
            <th scope="col">Step (ms)</th>
            <th scope="col">p50</th>
            <th scope="col">p99</th>
            <th scope="col">Max</th>
            <th scope="col" title="Standard deviation of the latency">
              Jitter
            </th>
          </tr>
        </thead>
        <tbody>
          {stepsOf(path).map(({ step, figures }) => (
            <tr key={step}>
              <th scope="row">{step}</th>
              {[figures.p50_ms, figures.p99_ms, figures.max_ms, figures.deviation_ms].map((ms, index) => (
                <td key={index}>{msText(ms)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
      <Histogram figures={total} label={`Messages of ${chain} by latency`} />
      <p>
        {`Worst case: ${msText(total.max_ms)} ms at ${clockTime(total.worst.until)}${total.worst.seq === null ? "" : `, message ${total.worst.seq}`}.`}
      </p>
    </>
  );
}

function Histogram({ figures: { histogram }, label }: { figures: LatencyFigures; label: string }) {
  const most = Math.max(...histogram.map(({ messages }) => messages));
  return (
    <ol class="latency-histogram" aria-label={label}>
      {histogram.map(({ from_ms, messages }) => (
        <li key={from_ms}>
          <span>from {from_ms} ms</span>
          <span class="bar" style={{ "--share": `${(100 * messages) / most}%` }} />
          <span>{messages.toLocaleString("en-US")}</span>
        </li>
      ))}
    </ol>
  );
}

/** Four digits, of which at most three are behind the point. */
export const msText = (ms: number): string => ms.toFixed(ms < 10 ? 3 : ms < 100 ? 2 : ms < 1_000 ? 1 : 0);
