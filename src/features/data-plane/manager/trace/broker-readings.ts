import type { SubjectTrace } from "../../../../bus/broker/trace/subject-trace.ts";

/** State of a subject in one broker at one moment. */
export interface Reading {
  readonly trace: SubjectTrace;
  readonly quietMs: number | null;
}

/** Two readings of one broker. */
export interface BrokerSpan {
  readonly before: SubjectTrace;
  readonly after: SubjectTrace;
  readonly quietMs: number | null;
  readonly seconds: number;
}

/** A counter at the end of a span, and how fast it grew. A counter that is smaller than before has begun anew. */
export function growth(span: BrokerSpan, read: (trace: SubjectTrace) => number): { count: number; rate: number; grown: number } {
  const count = read(span.after);
  const before = read(span.before);
  const grown = count < before ? count : count - before;
  return { count, grown, rate: Math.round((1_000 * grown) / span.seconds) / 1_000 };
}
