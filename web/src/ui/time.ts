import { signal } from "@preact/signals";

/** The current time, ms since 1970, updated once a second. */
export const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 1_000);

/** Time since (or, with `until`, until) a zoneless UTC time of the protocol: "42s", "3m 5s", "2h 10m", "4d 2h". */
export function lasting(timestamp: string, until = false): string {
  const difference = (now.value - Date.parse(`${timestamp}Z`)) * (until ? -1 : 1);
  const seconds = Math.max(0, Math.round(difference / 1_000));
  if (seconds < 60) return `${seconds}s`;
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m ${seconds % 60}s`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3_600)}h ${Math.floor((seconds % 3_600) / 60)}m`;
  return `${Math.floor(seconds / 86_400)}d ${Math.floor((seconds % 86_400) / 3_600)}h`;
}

export function millisecondsOf(timestamp: string): number {
  return Date.parse(`${timestamp}Z`);
}

// Created when first needed: creating a format takes milliseconds.
const formats = new Map<string, Intl.DateTimeFormat>();
function format(name: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const made =
    formats.get(name) ?? new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", hourCycle: "h23", ...options });
  formats.set(name, made);
  return made;
}
const A_DAY_MS = 86_400_000;

/** Hours and minutes in the viewer's time zone; with the date when it is more than 24 hours ago. */
export function clockMinutes(timestamp: string): string {
  return isOld(timestamp) ? clockTime(timestamp) : format("minutes", {}).format(millisecondsOf(timestamp));
}

/** Whether a time is more than 24 hours ago: the date has to be shown. */
export const isOld = (timestamp: string): boolean => Date.now() - millisecondsOf(timestamp) > A_DAY_MS;

/** Time in the viewer's time zone; with the date when it is more than 24 hours ago. */
export function clockTime(timestamp: string): string {
  return clockAt(millisecondsOf(timestamp));
}

/** Like clockTime, for milliseconds since 1970. */
export function clockAt(milliseconds: number): string {
  const isLongAgo = Date.now() - milliseconds > A_DAY_MS;
  return (isLongAgo ? format("day", { month: "short", day: "numeric" }) : format("clock", { second: "2-digit" })).format(milliseconds);
}

/** The time of day of seconds since 1970, with `digits` decimal places: "14:03:09.250". */
export function clockSeconds(seconds: number, digits: number): string {
  const rounded = Math.round(seconds * 10 ** digits);
  const whole = Math.floor(rounded / 10 ** digits);
  const part = String(rounded - whole * 10 ** digits).padStart(digits, "0");
  return `${format("clock", { second: "2-digit" }).format(whole * 1_000)}${digits === 0 ? "" : `.${part}`}`;
}
