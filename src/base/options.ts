import { MgrError } from "./errors.ts";
import { didYouMean } from "./text/suggest.ts";

/** The allowed values of an option, in words and as a check. */
export interface OptionRule {
  readonly is: string;
  readonly holds: (value: unknown) => boolean;
}

export const TEXT: OptionRule = { is: "a string", holds: (value) => typeof value === "string" };
export const FLAG: OptionRule = { is: "true or false", holds: (value) => typeof value === "boolean" };
export const FUNCTION: OptionRule = { is: "a function", holds: (value) => typeof value === "function" };

/** An object that has these methods. */
export function objectWith(...methods: string[]): OptionRule {
  const holds = (value: unknown) =>
    typeof value === "object" && value !== null && methods.every((name) => typeof Reflect.get(value, name) === "function");
  return { is: `an object with ${methods.join(", ")}`, holds };
}

/** Maximum delay of a timer, milliseconds: it holds 31 bits, and Node uses 1 for a longer delay. */
const MAX_MS = 2 ** 31 - 1;
export const MILLISECONDS: OptionRule = {
  is: `a number of milliseconds from 0 to ${MAX_MS} (24 days)`,
  holds: (value) => typeof value === "number" && value >= 0 && value <= MAX_MS,
};

/**
 * Throws `bad_field` with the name of the option if an option is unknown or not valid: programs without types may misspell options, which would
 * have no effect. `where` names the owner of the options; an option that is undefined counts as omitted.
 */
export function checkOptions(where: string, options: unknown, rules: Readonly<Record<string, OptionRule>>): void {
  if (typeof options !== "object" || options === null)
    throw new MgrError("bad_field", `the options of ${where} must be an object, found ${shown(options)}`);
  for (const [name, value] of Object.entries(options)) {
    const rule = Object.hasOwn(rules, name) ? rules[name] : undefined;
    if (rule === undefined) throw new MgrError("bad_field", `${where} has no option '${name}'${didYouMean(name, Object.keys(rules))}`);
    if (value !== undefined && !rule.holds(value))
      throw new MgrError("bad_field", `the option '${name}' of ${where} must be ${rule.is}, found ${shown(value)}`);
  }
}

/** A value as a short text. Never throws. */
export function shown(value: unknown): string {
  if (typeof value === "string") return `'${value.slice(0, 100)}'`;
  if (value === null || typeof value !== "object") return typeof value === "function" ? "a function" : String(value);
  return Array.isArray(value) ? "a list" : "an object";
}
