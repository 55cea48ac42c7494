import type { OutputPlace } from "../../../src/client/output-join.ts";
import type { DrawnPart } from "./draw-queue.ts";
import { bytesOf, type RunRules } from "./places/run-rules.ts";

/** Something that is drawn before the character with this index. */
export interface Cut {
  readonly index: number;
  readonly part: string | (() => void);
}

/** A backlog in parts: its text, the rules between its runs, and what is drawn in between. */
export function partsBetween(cuts: readonly Cut[], { text, end, rules }: { text: string; end: OutputPlace; rules: RunRules }): DrawnPart[] {
  const parts: DrawnPart[] = [];
  let from = 0;
  for (const { index, part } of cuts.toSorted((one, other) => one.index - other.index)) {
    if (index > 0) parts.push(...piece(from, index), part);
    else parts.push(part);
    from = index;
  }
  return [...parts, ...piece(from, text.length)];

  function piece(start: number, stop: number): DrawnPart[] {
    const place = { offset: end.offset - bytesOf(text.slice(stop)), stream_id: end.stream_id };
    return start === 0 ? rules.backlog(text.slice(0, stop), place) : rules.place(text.slice(start, stop), place);
  }
}
