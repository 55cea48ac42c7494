import type { ArgumentWords, CommandWords, Value } from "../command-words.ts";

/** Options of every command that connects to a manager: scripts pass them on when they ask for names. */
export const CONNECTION_OPTIONS = [
  "-c",
  "--config",
  "--url",
  "--socket",
  "--user",
  "--password-file",
  "--token-file",
  "--ca-file",
] as const;

/** A value in the scripts: its kind, and the words or kinds of objects, joined by spaces. */
export function valueText(value: Value): string {
  if (value.kind === "words") return ["words", ...value.words].join(" ");
  if (value.kind === "names") return ["names", ...value.objects].join(" ");
  return value.kind;
}

/** The values of arguments in the scripts; the last one stands for all that follow if it has a `*`. */
export function argumentTexts(values: readonly ArgumentWords[]): string[] {
  return values.map(({ value, isVariadic }) => `${isVariadic ? "*" : ""}${valueText(value)}`);
}

export interface OptionValue {
  /** Null: every command that has the option. */
  readonly path: string | null;
  readonly option: string;
  readonly value: string;
}

/** Values of options. An option with the same value in every command is in the list once, behind all others. */
export function optionValues(commands: readonly CommandWords[]): OptionValue[] {
  const all = commands.flatMap(({ path, options }) =>
    options.flatMap(({ words, value }) => words.map((option) => ({ path, option, value: value === null ? null : valueText(value) }))),
  );
  const valuesOf = new Map<string, Set<string | null>>();
  for (const { option, value } of all) valuesOf.set(option, (valuesOf.get(option) ?? new Set()).add(value));
  const isCommon = (option: string) => valuesOf.get(option)?.size === 1;
  const own = all.flatMap(({ path, option, value }) => (value === null || isCommon(option) ? [] : [{ path, option, value }]));
  const common = [...valuesOf].flatMap(([option, [value = null]]) =>
    value === null || !isCommon(option) ? [] : [{ path: null, option, value }],
  );
  return [...own, ...common];
}
