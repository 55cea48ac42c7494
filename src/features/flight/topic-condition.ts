import { DURATION_PATTERN, parseDuration } from "../../config/schema/units.ts";
import { fieldPathText, parseFieldPath } from "../data-plane/field-path.ts";
import { MAX_SPAN_MS } from "./contract.ts";

const COMPARISONS = ["<", "<=", ">", ">=", "==", "!="] as const;
type Comparison = (typeof COMPARISONS)[number];

/** `arm/state.torque[2] > 40 for 50ms`: a field of a topic's samples, compared with a number. */
export interface TopicCondition {
  readonly topic: string;
  /** As in a plot; "" is the sample itself. */
  readonly field: string;
  readonly comparison: Comparison;
  readonly limit: number;
  /** Time for which the comparison must be true, milliseconds. */
  readonly for_ms: number;
}

const FORM = /^(?<left>[^<>=!]*?)\s*(?<comparison><=|>=|==|!=|<|>)\s*(?<limit>\S+)(?:\s+for\s+(?<duration>\S+))?$/;
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/;
const SHOWN = "arm/state.torque[2] > 40 for 50ms";

/**
 * Parses a condition. `topic` undefined: the text begins with it, and it ends at the first `.` or `[`; else the text begins with the field. Returns the
 * reason why it is none as the end of a sentence ("… has no comparison").
 */
export function parseTopicCondition(text: string, topic?: string): TopicCondition | string {
  const { left = "", comparison, limit = "", duration } = FORM.exec(text.trim())?.groups ?? {};
  const found = COMPARISONS.find((each) => each === comparison);
  if (found === undefined) return `must be a comparison with a number, such as '${SHOWN}', found '${text}'`;
  if (!NUMBER.test(limit) || !Number.isFinite(Number(limit))) return `must compare with a number, found '${limit}'`;
  const for_ms = duration === undefined ? 0 : parseDuration(duration);
  if (for_ms === undefined || (duration !== undefined && !new RegExp(DURATION_PATTERN).test(duration)))
    return `must have a duration such as 50ms or 2s after 'for', found '${duration}'`;
  if (for_ms > MAX_SPAN_MS) return `must have a duration of at most 1h after 'for', found '${duration}'`;
  const cut = topic === undefined ? left.search(/[.[]/) : 0;
  const name = topic ?? (cut < 0 ? left : left.slice(0, cut)).trim();
  if (name === "") return `must begin with the name of a topic, such as '${SHOWN}'`;
  const field = fieldOf(cut < 0 ? "" : left.slice(cut));
  if (field === null) return `has '${left}' in front of '${comparison}', which is not a topic and a field, such as arm/state.torque[2]`;
  return { topic: name, field, comparison: found, limit: Number(limit), for_ms };
}

/** The field in its usual spelling; null: it is not one. */
function fieldOf(text: string): string | null {
  const written = text.trim().replace(/^\./, "");
  // "arm/state. > 1" has lost its field.
  if (written === "") return text.trim() === "" ? "" : null;
  const path = parseFieldPath(written);
  return path === null ? null : fieldPathText(path);
}
