/** Groups of settings, in the order in which they are shown. */
export const SETTING_GROUPS = ["process", "limits", "environment"] as const;
export type SettingGroup = (typeof SETTING_GROUPS)[number];

/**
 * How the value of the running process compares with that of the next start. `inherited`: nothing is configured; `unknown`: one of the two
 * cannot be read.
 */
export const COMPARISONS = ["same", "changed", "added", "missing", "inherited", "unknown"] as const;
export type Comparison = (typeof COMPARISONS)[number];

/** Comparisons that are differences. */
export const DIFFERENCES: ReadonlySet<Comparison> = new Set<Comparison>(["changed", "added", "missing"]);

export const COMPARISON_WORDS: Readonly<Record<Comparison, string>> = {
  same: "as configured",
  changed: "changed",
  added: "added",
  missing: "missing",
  inherited: "not configured",
  unknown: "not known",
};

export const GROUP_TITLES: Readonly<Record<SettingGroup, string>> = {
  process: "Process",
  limits: "Limits",
  environment: "Environment",
};
