import { type Trace, titleOfTrace } from "../plot/traces.ts";

/** A series computed from fields of topics. */
export type Derived =
  /** The first field less the second one. */
  | { readonly kind: "difference"; readonly inputs: readonly [Trace, Trace] }
  /** The rate of change, per second. */
  | { readonly kind: "derivative"; readonly inputs: readonly [Trace] }
  /** The mean of the last `seconds`. */
  | { readonly kind: "mean"; readonly inputs: readonly [Trace]; readonly seconds: number }
  /** The square root of the sum of the squares. */
  | { readonly kind: "norm"; readonly inputs: readonly Trace[] };
export type DerivedKind = Derived["kind"];

/** Limits of the span of a moving mean, seconds. */
export const MEAN_SECONDS = { least: 0.001, most: 60 } as const;
/** Maximum number of inputs of a norm. */
export const MAX_INPUTS = 20;

/** The series of a kind; null if the inputs or the span do not fit it. */
export function derivedOf(kind: string, inputs: readonly Trace[], seconds: number): Derived | null {
  const [first, second] = inputs;
  if (first === undefined) return null;
  if (kind === "norm" && inputs.length <= MAX_INPUTS) return { kind, inputs };
  if (kind === "difference" && second !== undefined && inputs.length === 2) return { kind, inputs: [first, second] };
  if (inputs.length > 1) return null;
  if (kind === "derivative") return { kind, inputs: [first] };
  const isSpan = seconds >= MEAN_SECONDS.least && seconds <= MEAN_SECONDS.most;
  return kind === "mean" && isSpan ? { kind, inputs: [first], seconds } : null;
}

/** The trace that shows a series: plots know it by its title, as the whole value of a topic. */
export const traceOfDerived = (derived: Derived): Trace => ({ topic: titleOfDerived(derived), field: "" });

function titleOfDerived(derived: Derived): string {
  const [first = "", ...others] = derived.inputs.map(titleOfTrace);
  switch (derived.kind) {
    case "difference":
      return `${first} − ${others[0]}`;
    case "derivative":
      return `d/dt ${first}`;
    case "mean":
      return `mean ${derived.seconds} s of ${first}`;
    case "norm":
      return `norm of ${[first, ...others].join(", ")}`;
  }
}

/** The unit of a series from those of its inputs; null if it is not known. */
export function unitOfDerived({ kind, inputs }: Derived, unitOf: (trace: Trace) => string | null): string | null {
  const [unit = null, ...others] = inputs.map(unitOf);
  if (unit === null || others.some((other) => other !== unit)) return null;
  return kind === "derivative" ? `${unit}/s` : unit;
}
