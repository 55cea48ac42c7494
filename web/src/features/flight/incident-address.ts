import type { Span } from "../../ui/plot/finger-span.ts";
import { MAX_TRACES, readTrace, type Trace, traceText } from "../data-plane/plot/public-samples.ts";
import { PART } from "./views.ts";

/** What is shown of an incident. Times are seconds since 1970; null: the address does not say it. */
export interface ShownPart {
  readonly moment: number | null;
  readonly span: Span | null;
  /** The process whose terminal is shown. */
  readonly terminal: string | null;
  /** The fields of topics that are plotted. */
  readonly traces: readonly Trace[];
}

/** The part that an address names: times in milliseconds since 1970. What is wrong or too much is left out. */
export function partOfAddress(search: string): ShownPart {
  const parameters = new URLSearchParams(search);
  const [, from, until] = /^(\d{1,15})-(\d{1,15})$/.exec(parameters.get(PART.span) ?? "") ?? [];
  return {
    moment: secondsOf(parameters.get(PART.moment) ?? ""),
    span: Number(from) < Number(until) ? { from: Number(from) / 1_000, until: Number(until) / 1_000 } : null,
    terminal: parameters.get(PART.terminal),
    traces: parameters
      .getAll(PART.field)
      .flatMap((text) => readTrace(text) ?? [])
      .slice(0, MAX_TRACES),
  };
}

/** The parameters of an address that names the part. */
export function partParameters({ moment, span, terminal, traces }: ShownPart): [string, string][] {
  const parameters: [string, string][] = traces.map((trace) => [PART.field, traceText(trace)]);
  if (terminal !== null) parameters.unshift([PART.terminal, terminal]);
  if (span !== null) parameters.unshift([PART.span, `${milliseconds(span.from)}-${milliseconds(span.until)}`]);
  if (moment !== null) parameters.unshift([PART.moment, String(milliseconds(moment))]);
  return parameters;
}

const milliseconds = (seconds: number) => Math.round(seconds * 1_000);

function secondsOf(text: string): number | null {
  const found = Number(text || Number.NaN);
  return Number.isFinite(found) ? found / 1_000 : null;
}
