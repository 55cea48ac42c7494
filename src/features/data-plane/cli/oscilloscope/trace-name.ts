import { topicNameProblem } from "../../../../base/topics/topic-subject.ts";
import { type FieldPath, parseFieldPath } from "../../field-path.ts";

/** A possible meaning of a trace name. */
export interface Candidate {
  readonly topic: string;
  /** Null: all numeric fields. */
  readonly path: FieldPath | null;
}

const MAX_CANDIDATES = 8;

/**
 * Splits `arm/state.position[0]` into topic and field. Names of topics may contain dots, so there may be several candidates; messages show which one
 * exists. Empty: the name cannot be a trace.
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
