import type { ManagerFrame } from "../protocol/frames/frames.ts";

/** Terminal text, and the offset in the stream after its last byte. */
type Piece = Pick<Extract<ManagerFrame, { type: "process_output" }>, "output" | "offset" | "stream_id">;
/** A place in the output of a process. */
export type OutputPlace = Omit<Piece, "output">;

/**
 * Joins one process's backlog to its live output by offsets, without loss or repetition: subscribe first, then request the backlog. Live
 * output that arrives before the backlog is held until then. Both methods return the text that is new.
 */
export class OutputJoin {
  #end: OutputPlace | null = null;
  /** End of the newest live frame: the next one of its stream begins there. */
  #liveEnd: OutputPlace | null = null;
  #waiting: Piece[] = [];

  /** End of the returned text; null before the backlog. */
  get end(): OutputPlace | null {
    return this.#end;
  }

  backlog({ output, offset, stream_id }: Piece): string {
    this.#end = { offset, stream_id };
    const waiting = this.#waiting;
    this.#waiting = [];
    return output + waiting.map((piece) => this.live(piece)).join("");
  }

  live(piece: Piece): string {
    const end = this.#end;
    if (end === null) {
      this.#waiting.push(piece);
      return "";
    }
    const { output, offset, stream_id } = piece;
    const before = this.#liveEnd;
    this.#liveEnd = { offset, stream_id };
    if (stream_id !== end.stream_id) {
      this.#end = { offset, stream_id };
      return output;
    }
    if (offset <= end.offset) return "";
    const fresh = offset - end.offset;
    this.#end = { offset, stream_id };
    const isWhole = before !== null && before.stream_id === stream_id && before.offset >= end.offset;
    return isWhole ? output : textOfLastBytes(output, fresh);
  }
}

/** The part of a backlog after a place: its text, and the number of bytes between the place and the text, which are not in the backlog. */
export function outputAfter({ output, offset, stream_id }: Piece, place: OutputPlace): { text: string; skipped: number } {
  if (stream_id !== place.stream_id) return { text: output, skipped: 0 };
  const { start, bytes } = lastBytes(output, offset - place.offset);
  return { text: output.slice(start), skipped: Math.max(0, offset - place.offset - bytes) };
}

/** The last `count` UTF-8 bytes of `text`, as text. U+FFFD counts as one byte: it stands for a byte that is not valid UTF-8. */
export function textOfLastBytes(text: string, count: number): string {
  return text.slice(lastBytes(text, count).start);
}

function lastBytes(text: string, count: number): { start: number; bytes: number } {
  let start = text.length;
  let bytes = 0;
  while (start > 0 && bytes < count) {
    const unit = text.charCodeAt(start - 1);
    const isPair = unit >= 0xdc00 && unit <= 0xdfff && start > 1;
    bytes += isPair ? 4 : unit < 0x80 || unit === 0xfffd ? 1 : unit < 0x800 ? 2 : 3;
    start -= isPair ? 2 : 1;
  }
  return { start, bytes };
}
