// The settings of one process within its intent: commands, start tool, switches.
/** Settings that users chose for a process in addition to its configuration. Persisted in this form. */
export interface ProcessSettings {
  /** Label of the selected command, "default" for the primary one. */
  readonly which: string;
  /** Commands by label, "default" included. Labels that are not configured (any more) are kept without effect. */
  readonly overrides: readonly (readonly [label: string, command: string])[];
  /** Value of a start tool, "none", or null for the configured one. */
  readonly start_tool: string | null;
  readonly svc_debug: boolean;
  readonly low_delay_output: boolean;
  readonly no_skip_display: boolean;
}

/** Label of the primary command. */
export const PRIMARY = "default";

export const NO_SETTINGS: ProcessSettings = {
  which: PRIMARY,
  overrides: [],
  start_tool: null,
  svc_debug: false,
  low_delay_output: false,
  no_skip_display: false,
};

export function overrideOf({ overrides }: Pick<ProcessSettings, "overrides">, label: string): string | null {
  return overrides.find(([each]) => each === label)?.[1] ?? null;
}

/** Sets the override of a label; `command` null clears it. */
export function withOverride(settings: ProcessSettings, label: string, command: string | null): ProcessSettings {
  const others = settings.overrides.filter(([each]) => each !== label);
  return { ...settings, overrides: command === null ? others : [...others, [label, command]] };
}
