/** Host and number of an X server, from its name in DISPLAY. */
export interface DisplayName {
  /** Null: this machine, by its unix socket. */
  readonly host: string | null;
  readonly number: number;
}

/** Parses `:0`, `unix:1.0` or `localhost:10.0`; null for other texts. */
export function parseDisplayName(text: string): DisplayName | null {
  const [, host, number] = /^([^/:]*|\[[^/\]]+\]):(\d{1,5})(?:\.\d+)?$/.exec(text) ?? [];
  if (host === undefined || number === undefined) return null;
  return { host: host === "" || host === "unix" ? null : host.replace(/^\[|\]$/g, ""), number: Number(number) };
}
