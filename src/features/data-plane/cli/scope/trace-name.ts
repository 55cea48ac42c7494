import { type FieldPath, parseFieldPath } from "../../../../base/field-path.ts";
import { topicNameProblem } from "../../../../base/topic-subject.ts";

/** What a trace may mean. */
export interface Candidate {
  readonly topic: string;
  /** Null: all numeric fields. */
  readonly path: FieldPath | null;
}

const MAX_CANDIDATES = 8;

/**
 * `arm/state.position[0]` as topic and field. Names of topics may hold dots, so that there are several ways to read it; those that exist are
 * known from their messages. Empty: there is none.
 */
export function candidatesOf(trace: string): Candidate[] {
  const found: Candidate[] = [];
  const add = (topic: string, path: FieldPath | null) => {
    if (found.length < MAX_CANDIDATES && topicNameProblem(topic) === null) found.push({ topic, path });
  };
  // Fields have no slash.
  for (let at = trace.indexOf(".", trace.lastIndexOf("/") + 1); at !== -1; at = trace.indexOf(".", at + 1)) {
    const path = parseFieldPath(trace.slice(at + 1));
    if (path !== null) add(trace.slice(0, at), path);
  }
  add(trace, null);
  return found;
}
