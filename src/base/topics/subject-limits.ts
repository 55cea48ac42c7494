/** Limits of a NATS subject on the bus: each subscription costs memory in every broker. */

export const MAX_SUBJECT_BYTES = 1_024;
export const MAX_SUBJECT_TOKENS = 64;
/** A subject of up to this many bytes cannot have too many tokens. */
const ALWAYS_SHORT_BYTES = 2 * MAX_SUBJECT_TOKENS;

/** The reason why a subject, with one byte per character, is too long, or null. */
export function subjectProblem(subject: string): string | null {
  const { length } = subject;
  if (length <= ALWAYS_SHORT_BYTES) return null;
  if (length > MAX_SUBJECT_BYTES) return `the subject has ${length} bytes; at most ${MAX_SUBJECT_BYTES} are allowed`;
  let tokens = 1;
  for (let dot = subject.indexOf("."); dot >= 0; dot = subject.indexOf(".", dot + 1)) tokens++;
  return tokens > MAX_SUBJECT_TOKENS ? `the subject has ${tokens} tokens; at most ${MAX_SUBJECT_TOKENS} are allowed` : null;
}
