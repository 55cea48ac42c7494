/** Times on the wire: UTC, milliseconds, no zone (docs/design/wire-rules.md, "Conventions for every frame"). */

const TIMESTAMP = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}\.\d{3}$/;
/** Four digits can represent the years 0000 to 9999. */
const MIN_TIME_MS = -62_167_219_200_000;
const MAX_TIME_MS = 253_402_300_799_999;

/** Number of cached texts, by the last digits of their milliseconds: in a burst, thousands of times are the same few. */
const MAX_REMEMBERED = 64;
const texts: { readonly milliseconds: number; readonly text: string }[] = [];

/** Milliseconds since 1970 as `2026-11-21T08:14:02.123`. Fractions are cut off. Throws RangeError outside the years 0000 to 9999. */
export function formatTime(milliseconds: number): string {
  const whole = Math.floor(milliseconds);
  if (!(whole >= MIN_TIME_MS && whole <= MAX_TIME_MS))
    throw new RangeError(`${milliseconds} ms is not a time between the years 0000 and 9999`);
  const place = Math.abs(whole % MAX_REMEMBERED);
  const known = texts[place];
  if (known?.milliseconds === whole) return known.text;
  const text = new Date(whole).toISOString().slice(0, -1);
  texts[place] = { milliseconds: whole, text };
  return text;
}

/** The strict inverse of formatTime. Throws RangeError for any other text, also for days and hours that do not exist. */
export function parseTime(text: string): number {
  // `Date.parse` alone would read a zoneless text as local time, and 30 February as 2 March.
  const milliseconds = TIMESTAMP.test(text) ? Date.parse(`${text}Z`) : Number.NaN;
  if (Number.isNaN(milliseconds) || formatTime(milliseconds) !== text) {
    throw new RangeError(`'${text.slice(0, 64)}' is not a UTC time such as 2026-11-21T08:14:02.123`);
  }
  return milliseconds;
}
