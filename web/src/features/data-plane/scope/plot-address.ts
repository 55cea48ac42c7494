import { SCALES, type Scale } from "../plot/scales.ts";
import { encoded, MAX_TRACES, readTrace, type Trace, traceText } from "../plot/traces.ts";
import { type Derived, derivedOf } from "./derived.ts";
import { TRIGGER_KINDS, TRIGGER_MODES, type Trigger } from "./trigger.ts";

/** Lengths of the window that can be selected, seconds. */
export const WINDOWS = [0.05, 0.1, 0.2, 0.5, 1, 2, 5, 10, 30, 60, 300] as const;
export const USUAL_WINDOW = 10;

/** The definition of a plot; its address lets another user open the same one. */
export interface Plot {
  readonly traces: readonly Trace[];
  readonly derived: readonly Derived[];
  /** Length of the window, seconds. */
  readonly seconds: number;
  readonly scale: Scale;
  readonly trigger: Trigger | null;
}

/** The plot that an address names; null if it names no field. */
export function plotOfAddress(search: string): Plot | null {
  const parameters = new URLSearchParams(search);
  const plot = plotOfParameters([...parameters]);
  return plot.traces.length + plot.derived.length === 0 ? null : plot;
}

/** The plot of names and values as in an address. What is wrong or too much is left out; what is missing has its default. */
export function plotOfParameters(parameters: readonly (readonly [string, string])[]): Plot {
  const all = (name: string) => parameters.flatMap(([other, value]) => (other === name ? value : []));
  const traces = all("trace").flatMap((text) => readTrace(text) ?? []);
  const derived = all("derived").flatMap((text) => readDerived(text) ?? []);
  return {
    traces: traces.slice(0, MAX_TRACES),
    derived: derived.slice(0, Math.max(0, MAX_TRACES - traces.length)),
    seconds: WINDOWS.find((each) => String(each) === all("seconds")[0]) ?? USUAL_WINDOW,
    scale: SCALES.find((each) => each === all("scale")[0]) ?? "auto",
    trigger: readTrigger(all("trigger")[0] ?? ""),
  };
}

/** Names and values of the address's parameters; defaults are omitted. */
export function plotParameters({ traces, derived, seconds, scale, trigger }: Plot): [string, string][] {
  return [
    ...traces.map((trace): [string, string] => ["trace", traceText(trace)]),
    ...derived.map((one): [string, string] => ["derived", derivedText(one)]),
    ...(seconds === USUAL_WINDOW ? [] : [["seconds", String(seconds)] as [string, string]]),
    ...(scale === "auto" ? [] : [["scale", scale] as [string, string]]),
    ...(trigger === null ? [] : [["trigger", triggerText(trigger)] as [string, string]]),
  ];
}

/** In a list, commas and percent signs are percent-encoded, too. */
const listedTrace = ({ topic, field }: Trace): string => `${encoded(topic, /[%:,]/g)}:${encoded(field, /[%,]/g)}`;

const readListedTrace = (text: string) => readTrace(text, decodeURIComponent);

/** `kind,seconds,input,…`; only a mean has seconds, for others they are 0. */
function derivedText(derived: Derived): string {
  return [derived.kind, derived.kind === "mean" ? derived.seconds : 0, ...derived.inputs.map(listedTrace)].join(",");
}

function readDerived(text: string): Derived | null {
  const [kind = "", seconds, ...rest] = text.split(",");
  const inputs = rest.flatMap((input) => readListedTrace(input) ?? []);
  return inputs.length < rest.length ? null : derivedOf(kind, inputs, Number(seconds));
}

/** `kind,level,before,mode,trace`; `before` in percent of the window. */
function triggerText({ kind, level, before, mode, trace }: Trigger): string {
  return [kind, level, Math.round(before * 100), mode, listedTrace(trace)].join(",");
}

function readTrigger(text: string): Trigger | null {
  const parts = text.split(",");
  const [kind, mode] = [TRIGGER_KINDS.find((each) => each === parts[0]), TRIGGER_MODES.find((each) => each === parts[3])];
  const [level, percent, trace] = [Number(parts[1]), Number(parts[2]), readListedTrace(parts[4] ?? "")];
  if (kind === undefined || mode === undefined || trace === null || parts.length !== 5) return null;
  const isValid = parts[1] !== "" && Number.isFinite(level) && percent >= 0 && percent <= 100;
  return isValid ? { kind, mode, trace, level, before: percent / 100 } : null;
}
