import { signal } from "@preact/signals";

/** Milliseconds since 1970, ticking once a second for whoever reads it. */
export const now = signal(Date.now());
setInterval(() => {
  now.value = Date.now();
}, 1_000);

/** How long since (or, `until`, to) a zoneless UTC time of the protocol: "42s", "3m 5s", "2h 10m", "4d 2h". */
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

const clock = new Intl.DateTimeFormat(undefined, { hour: "2-digit", minute: "2-digit", second: "2-digit", hour12: false });
const dayAndClock = new Intl.DateTimeFormat(undefined, {
  month: "short",
  day: "numeric",
  hour: "2-digit",
  minute: "2-digit",
  hour12: false,
});
const A_DAY_MS = 86_400_000;

/** The viewer's own clock; with the day when it is not of the last 24 hours. */
export function clockTime(timestamp: string): string {
  const time = millisecondsOf(timestamp);
  return (Date.now() - time > A_DAY_MS ? dayAndClock : clock).format(time);
}
