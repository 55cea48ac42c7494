/** Result of a check. */
export interface Finding {
  /** Subject of the check, in one or two words. */
  readonly check: string;
  /** error: something of mgr does not work; warning: it works, but not everything, or not for long. */
  readonly level: "ok" | "warning" | "error";
  /** A part of a sentence. */
  readonly found: string;
  /** Advice; null: nothing has to be done. */
  readonly advice: string | null;
}

export const ok = (check: string, found: string): Finding => ({ check, level: "ok", found, advice: null });
export const warning = (check: string, found: string, advice: string): Finding => ({ check, level: "warning", found, advice });
export const error = (check: string, found: string, advice: string): Finding => ({ check, level: "error", found, advice });
