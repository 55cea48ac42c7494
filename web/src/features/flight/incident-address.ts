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

/** The part that an address names. What is wrong or too much is left out. */
export function partOfAddress(search: string): ShownPart {
  const parameters = new URLSearchParams(search);
  const time = (name: string) => {
    const milliseconds = Number(parameters.get(name) || Number.NaN);
    return Number.isFinite(milliseconds) ? milliseconds / 1_000 : null;
  };
  const [from, until] = [time(PART.from), time(PART.until)];
  return {
    moment: time(PART.moment),
    span: from !== null && until !== null && from < until ? { from, until } : null,
    terminal: parameters.get(PART.terminal),
    traces: parameters
      .getAll(PART.trace)
      .flatMap((text) => readTrace(text) ?? [])
      .slice(0, MAX_TRACES),
  };
}

/** The parameters of an address that names the part. */
export function partParameters({ moment, span, terminal, traces }: ShownPart): [string, string][] {
  const time = (name: string, seconds: number): [string, string] => [name, String(Math.round(seconds * 1_000))];
  return [
    ...(moment === null ? [] : [time(PART.moment, moment)]),
    ...(span === null ? [] : [time(PART.from, span.from), time(PART.until, span.until)]),
    ...(terminal === null ? [] : [[PART.terminal, terminal] as [string, string]]),
    ...traces.map((trace): [string, string] => [PART.trace, traceText(trace)]),
  ];
}
