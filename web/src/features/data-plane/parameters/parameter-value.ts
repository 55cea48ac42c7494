import type { Parameter } from "../../../../../src/features/data-plane/wire/parameter.ts";

type Ranged = Pick<Parameter, "type" | "minimum" | "maximum" | "unit">;
const FLOAT = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const INT = /^[+-]?\d+$/;

/** The problem with a value for a parameter; null if the page knows none. The provider may still refuse the value. */
export function problemOf({ type, minimum, maximum, unit }: Ranged, text: string): string | null {
  if (type === "bool") return text === "true" || text === "false" ? null : "true or false";
  if (type !== "float" && type !== "int") return null;
  if (!(type === "int" ? INT : FLOAT).test(text)) return type === "int" ? "a whole number" : "a number";
  const value = Number(text);
  const isBelow = minimum !== null && value < minimum;
  const isAbove = maximum !== null && value > maximum;
  if (!isBelow && !isAbove) return null;
  const suffix = unit === "" ? "" : ` ${unit}`;
  if (minimum !== null && maximum !== null) return `${minimum} to ${maximum}${suffix}`;
  return isBelow ? `at least ${minimum}${suffix}` : `at most ${maximum}${suffix}`;
}
