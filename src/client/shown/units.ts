/** Numbers with their units as the page and the command line show them. Memory is in load-text.ts. */

const UNITS = ["B", "kB", "MB", "GB", "TB"];

/** Bytes in powers of 1,000, as the field's tools show traffic and files: "128 B", "1.5 kB". */
export function bytesText(bytes: number): string {
  let value = bytes;
  let unit = 0;
  while (value >= 999.5 && unit < UNITS.length - 1) {
    value /= 1_000;
    unit++;
  }
  return `${unit === 0 || value >= 99.5 ? Math.round(value) : value.toFixed(1)} ${UNITS[unit]}`;
}

/** Bytes a second: "28 MB/s". */
export const byteRate = (bytes: number): string => (bytes === 0 ? "0" : `${bytesText(bytes)}/s`);

/** Messages a second: "1,000 Hz", "9.5 Hz", "0.2 Hz". */
export function rateText(rate: number): string {
  if (rate === 0) return "0 Hz";
  return `${rate >= 100 ? Math.round(rate).toLocaleString("en-US") : rate.toFixed(rate < 10 ? 1 : 0)} Hz`;
}

/** Packets or errors a second: "0", "0.4", "1,200". */
export function countRate(count: number): string {
  if (count === 0) return "0";
  if (count >= 100) return Math.round(count).toLocaleString("en-US");
  return count < 0.05 ? "< 0.1" : count.toFixed(count < 10 ? 1 : 0);
}

/** Speed of an interface as its maker writes it: "1 Gbit/s"; "" if it is not known. */
export function speedText(bits: number | null): string {
  if (bits === null) return "";
  return bits >= 1e9 ? `${bits / 1e9} Gbit/s` : `${bits / 1e6} Mbit/s`;
}

/** Time from a packet to its answer: "0.4 ms", "12 ms"; "" if it is not known. */
export const roundTripText = (ms: number | null): string => (ms === null ? "" : `${ms.toFixed(ms < 10 ? 1 : 0)} ms`);

/** Duration: "0.4 s", "12 s", "3 min 5 s", "2 h 10 min". */
export function spanText(milliseconds: number): string {
  const seconds = Math.max(0, milliseconds / 1_000);
  if (seconds < 9.95) return `${seconds.toFixed(1)} s`;
  const whole = Math.round(seconds);
  if (whole < 60) return `${whole} s`;
  if (whole < 3_600) return `${Math.floor(whole / 60)} min ${whole % 60} s`;
  return `${Math.floor(whole / 3_600)} h ${Math.floor((whole % 3_600) / 60)} min`;
}

/** Milliseconds from one time of the protocol to another. */
export const millisecondsBetween = (from: string, until: string): number => Date.parse(`${until}Z`) - Date.parse(`${from}Z`);
