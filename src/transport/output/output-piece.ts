import { encodeFrame } from "../../protocol/frames/encode.ts";

const NEWLINE = 0x0a;
// ignoreBOM: a byte order mark in the middle of terminal output is a character like any other.
const decoder = new TextDecoder("utf-8", { ignoreBOM: true });

/**
 * Output of one process for one `process_output` frame; it begins and ends between two characters of the stream. The frame is encoded on first use
 * and then shared by all connections.
 */
export class OutputPiece {
  readonly name: string;
  readonly streamId: string;
  /** Offset of the byte after the last one of `data`. */
  readonly offset: number;
  /** Raw bytes, not to be changed. */
  readonly data: Uint8Array;
  /** Bytes lost just before `data`. */
  readonly skipped: number;
  #encoded: Buffer | null = null;

  constructor(fields: { name: string; streamId: string; offset: number; data: Uint8Array; skipped: number }) {
    this.name = fields.name;
    this.streamId = fields.streamId;
    this.offset = fields.offset;
    this.data = fields.data;
    this.skipped = fields.skipped;
  }

  /** Bytes that are not UTF-8 become U+FFFD, as in every decoder. */
  get text(): string {
    return decoder.decode(this.data);
  }

  get encoded(): Buffer {
    this.#encoded ??= this.#encode();
    return this.#encoded;
  }

  get endsLine(): boolean {
    return this.data.at(-1) === NEWLINE;
  }

  /** Returns the same bytes for a reader that missed `skipped` bytes before them. */
  afterSkipping(skipped: number): OutputPiece {
    return new OutputPiece({ ...this, skipped: this.skipped + skipped });
  }

  #encode(): Buffer {
    const { name, streamId, offset, skipped } = this;
    const more = skipped > 0 ? { skipped } : {};
    return encodeFrame({ type: "process_output", name, output: this.text, offset, stream_id: streamId, ...more });
  }

  /** The part from the first line start on; bytes before it count as skipped. Returns the piece itself if no line starts in it. */
  fromLineStart(): OutputPiece {
    const newline = this.data.indexOf(NEWLINE);
    if (newline < 0) return this;
    return new OutputPiece({ ...this, data: this.data.subarray(newline + 1), skipped: this.skipped + newline + 1 });
  }
}
