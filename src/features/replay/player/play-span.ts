import { MgrError } from "../../../base/errors.ts";
import { formatTime } from "../../../protocol/time.ts";
import { clockText } from "./clock-text.ts";
import { type Moment, timeOf } from "./play-options.ts";

const NS_PER_MS = 1_000_000n;

/** First and last moment of a play, nanoseconds since 1970. */
export interface PlaySpan {
  readonly from: bigint;
  readonly until: bigint;
}

/** The part of a recording between two moments; null: its beginning, and its end. Throws `bad_field` if there is nothing. */
export function playSpan(source: { readonly start: bigint; readonly end: bigint }, begin: Moment | null, end: Moment | null): PlaySpan {
  const from = begin === null ? source.start : timeOf(begin, source.start);
  const until = end === null ? source.end : timeOf(end, source.start);
  const span = `the recording is from ${timeText(source.start)} to ${timeText(source.end)} UTC (${lengthText({ from: source.start, until: source.end })})`;
  if (from > source.end || until < source.start || from > until)
    throw new MgrError("bad_field", `there is nothing between 'from' and 'until': ${span}`);
  return { from: from < source.start ? source.start : from, until: until > source.end ? source.end : until };
}

/** In nanoseconds since 1970. */
export const timeText = (time: bigint): string => formatTime(Number(time / NS_PER_MS));
export const lengthText = ({ from, until }: PlaySpan): string => clockText(Number((until - from) / NS_PER_MS));
