import { OutputPiece } from "./output-piece.ts";

interface Miss {
  /** Bytes missed and not yet declared. */
  bytes: number;
  offset: number;
  streamId: string;
  /** Whether the last missed byte did not end a line: the next output then begins in the middle of one. */
  midLine: boolean;
}

/** Missed output of each process that has not been reported to one slow connection yet. */
export class SkippedOutput {
  readonly #misses = new Map<string, Miss>();

  miss(piece: OutputPiece): void {
    const before = this.#misses.get(piece.name);
    this.#misses.set(piece.name, {
      bytes: (before?.bytes ?? 0) + piece.skipped + piece.data.length,
      offset: piece.offset,
      streamId: piece.streamId,
      midLine: piece.data.length > 0 ? !piece.endsLine : (before?.midLine ?? true),
    });
  }

  /** The form of `piece` for this connection: with `skipped`, and from a line start if there is one. */
  resume(piece: OutputPiece): OutputPiece {
    const miss = this.#misses.get(piece.name);
    if (!miss) return piece;
    this.#misses.delete(piece.name);
    const declared = piece.afterSkipping(miss.bytes);
    return miss.midLine ? declared.fromLineStart() : declared;
  }

  /** Reports missed output by itself, because no more may follow: the process has become silent. */
  declare(): OutputPiece[] {
    const pieces: OutputPiece[] = [];
    for (const [name, miss] of this.#misses) {
      if (miss.bytes > 0) {
        pieces.push(new OutputPiece({ name, streamId: miss.streamId, offset: miss.offset, data: new Uint8Array(), skipped: miss.bytes }));
      }
      miss.bytes = 0;
      if (!miss.midLine) this.#misses.delete(name);
    }
    return pieces;
  }
}
