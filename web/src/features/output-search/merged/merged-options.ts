import type { LineFilter } from "./line-filter.ts";

/** Times before lines: none, the time of day, or how long ago. */
export const TIMES = ["none", "clock", "ago"] as const;

/** The options of a view of merged output, as its address has them. */
export interface MergedOptions extends LineFilter {
  /** Chosen processes; null: all. */
  readonly only: readonly string[] | null;
  readonly times: (typeof TIMES)[number];
}

/** The parameters of an address that leads to the view. */
export function mergedParameters({ only, text, isRegex, times }: MergedOptions): [name: string, value: string][] {
  const parameters: [string, string][] = [
    ...(only ?? []).map((name): [string, string] => ["only", name]),
    ["filter", text],
    ["expression", isRegex ? "1" : ""],
    ["times", times === "none" ? "" : times],
  ];
  return parameters.filter(([, value]) => value !== "");
}

/** Reads the options of an address. */
export function mergedOfAddress(search: string): MergedOptions {
  const parameters = new URLSearchParams(search);
  const only = parameters.getAll("only").filter(Boolean);
  return {
    only: only.length > 0 ? only : null,
    text: parameters.get("filter") ?? "",
    isRegex: parameters.get("expression") === "1",
    times: TIMES.find((one) => one === parameters.get("times")) ?? "none",
  };
}
