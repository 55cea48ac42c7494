import { parseParameter } from "../../data-plane/manager/index.ts";
import type { Parameter } from "../../data-plane/wire/parameter.ts";
import { inOrder } from "../files/preset-text.ts";
import type { PresetDifference, PresetValue } from "../wire.ts";

type Type = Pick<Parameter, "type">;

/** Names may have colons, so none joins them. */
export const keyOf = ({ service, parameter }: Pick<PresetValue, "service" | "parameter">): string => `${service}\0${parameter}`;

/** Whether two texts are the same value of a parameter: 1.50 is 1.5 for a number. */
export function isSameValue({ type }: Type, one: string, other: string): boolean {
  if (one === other) return true;
  if (type !== "float" && type !== "int") return false;
  const [first, second] = [parseParameter(type, one), parseParameter(type, other)];
  return first !== null && first === second;
}

/** The override of a parameter as it is now; null: it has none. */
export const overrideOf = ({ override_enabled, override_value }: Parameter): string | null => (override_enabled ? override_value : null);

/** Why a parameter cannot have a value; null: it can, as far as is known here. */
export function valueProblem({ type, minimum, maximum, unit }: Parameter, text: string): string | null {
  if (type !== "float" && type !== "int" && type !== "bool" && type !== "string") return null;
  const value = parseParameter(type, text);
  if (value === null) return `'${text.slice(0, 100)}' is not a value of type ${type}`;
  if (typeof value !== "number" || ((minimum === null || value >= minimum) && (maximum === null || value <= maximum))) return null;
  return `${value} is out of range: it must be ${minimum ?? "-∞"} to ${maximum ?? "∞"}${unit === "" ? "" : ` ${unit}`}`;
}

/** Parameters by `keyOf`: several, if several programs have the same service. */
export function byKey(parameters: readonly Parameter[]): ReadonlyMap<string, readonly Parameter[]> {
  const found = new Map<string, Parameter[]>();
  for (const each of parameters) {
    const key = keyOf({ service: each.service, parameter: each.name });
    found.set(key, [...(found.get(key) ?? []), each]);
  }
  return found;
}

/** Compares a preset with parameters as they are now; `isIncluded` says which overrides that it does not have are `extra`. */
export function differencesFromNow(
  values: readonly PresetValue[],
  parameters: readonly Parameter[],
  isIncluded: (parameter: Parameter) => boolean,
): PresetDifference[] {
  const now = byKey(parameters);
  const known = new Set(values.map(keyOf));
  const rows = values.map((each): PresetDifference => {
    const found = now.get(keyOf(each)) ?? [];
    const [first] = found;
    const isSame = (parameter: Parameter) => {
      const override = overrideOf(parameter);
      return override !== null && isSameValue(parameter, override, each.value);
    };
    const other = found.find((parameter) => !isSame(parameter)) ?? first;
    const result = first === undefined ? "missing" : found.every(isSame) ? "same" : "different";
    return { ...each, result, other: other === undefined ? null : overrideOf(other) };
  });
  const extra = [...now].flatMap(([key, [first]]): PresetDifference[] => {
    if (first === undefined || known.has(key) || !first.override_enabled || !isIncluded(first)) return [];
    return [{ service: first.service, parameter: first.name, result: "extra", value: null, other: first.override_value }];
  });
  return inOrder([...rows, ...extra]);
}

/** Compares two presets, by their texts: their programs need not run. */
export function differencesBetween(values: readonly PresetValue[], others: readonly PresetValue[]): PresetDifference[] {
  const other = new Map(others.map((each) => [keyOf(each), each]));
  const known = new Set(values.map(keyOf));
  const rows = values.map((each): PresetDifference => {
    const value = other.get(keyOf(each))?.value ?? null;
    return { ...each, result: value === null ? "missing" : value === each.value ? "same" : "different", other: value };
  });
  const extra = others.flatMap((each): PresetDifference[] =>
    known.has(keyOf(each)) ? [] : [{ ...each, result: "extra", value: null, other: each.value }],
  );
  return inOrder([...rows, ...extra]);
}
