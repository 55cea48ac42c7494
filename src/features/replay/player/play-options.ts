/** Bounds of the rate: seconds of the recording a second. */
export const MIN_RATE = 0.01;
export const MAX_RATE = 1_000;

/** A moment of a recording: nanoseconds since its first message, or since 1970. */
export interface Moment {
  readonly kind: "offset" | "time";
  readonly ns: bigint;
}

const UNITS = { h: 3_600, m: 60, s: 1 };
const NS_PER_MS = 1_000_000n;

/** Parses `12.5`, `90s`, `1m30s`, or a date with time, local unless it has a zone; null: it is none of these. */
export function parseMoment(text: string): Moment | null {
  if (/^\d+(\.\d+)?$/.test(text)) return { kind: "offset", ns: secondsNs(Number(text)) };
  const parts = /^(?:(\d+(?:\.\d+)?)h)?(?:(\d+(?:\.\d+)?)m)?(?:(\d+(?:\.\d+)?)s)?$/.exec(text);
  if (text !== "" && parts !== null) {
    const [, h = 0, m = 0, s = 0] = parts;
    return { kind: "offset", ns: secondsNs(Number(h) * UNITS.h + Number(m) * UNITS.m + Number(s) * UNITS.s) };
  }
  const time = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}/.test(text) ? Date.parse(text) : Number.NaN;
  return time >= 0 ? { kind: "time", ns: BigInt(time) * NS_PER_MS } : null;
}

/** The time of a moment, nanoseconds since 1970. */
export function timeOf({ kind, ns }: Moment, start: bigint): bigint {
  return kind === "offset" ? start + ns : ns;
}

/** Nanoseconds of seconds, in whole microseconds, which a number holds exactly for any length of a recording. */
export function secondsNs(seconds: number): bigint {
  return BigInt(Math.round(seconds * 1e6)) * 1_000n;
}
