import { textOfLastBytes } from "./output-join.ts";

export interface PastOutput {
  name: string;
  text: string;
  /** Offset of the byte after the last one. */
  offset: number;
  /** Times at which it was written, from each offset to the next; empty if they are not known. */
  times: readonly { offset: number; time: string }[];
}

export interface PastPiece {
  name: string;
  text: string;
  /** When it was written; "" if that is not known. */
  time: string;
}

/**
 * Past output of several processes in the order in which it was written, as far as that is known. Each piece consists of whole lines,
 * except the last one of a process. Output without a time comes first.
 */
export function inOrder(outputs: readonly PastOutput[]): PastPiece[] {
  return (
    outputs
      .flatMap(piecesOf)
      // Times of the protocol sort as text. The sort is stable: pieces of one process stay in order.
      .sort((one, other) => (one.time < other.time ? -1 : one.time > other.time ? 1 : 0))
  );
}

function piecesOf({ name, text, offset, times }: PastOutput): PastPiece[] {
  const pieces: PastPiece[] = [];
  let from = 0;
  let time = times[0]?.time ?? "";
  const emit = (until: number) => {
    if (until > from) pieces.push({ name, text: text.slice(from, until), time });
    from = Math.max(from, until);
  };
  const marks = times.slice(1).filter((mark) => mark.offset <= offset);
  const indices = indicesOf(marks, text, offset);
  marks.forEach((mark, index) => {
    emit(lineEnd(text, indices[index] ?? text.length));
    // Clocks may be set back: later output stays later.
    if (mark.time > time) time = mark.time;
  });
  emit(text.length);
  return pieces;
}

/** Indices in a text that ends at `offset` of the characters with these offsets. From the end, so that the text is read once. */
function indicesOf(marks: readonly { offset: number }[], text: string, offset: number): number[] {
  let index = text.length;
  let end = offset;
  return marks
    .toReversed()
    .map((mark) => {
      index -= textOfLastBytes(text.slice(0, index), end - mark.offset).length;
      end = mark.offset;
      return index;
    })
    .reverse();
}

/** End of the line at a position. */
function lineEnd(text: string, at: number): number {
  if (at === 0 || text[at - 1] === "\n") return at;
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end + 1;
}
