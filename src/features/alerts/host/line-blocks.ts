import { withoutEscapes } from "../../../daemon/output/strip-escapes.ts";

const NEWLINE = 0x0a;
/** Longest line that is examined as a whole; a longer one is examined in pieces, each of which repeats the end of the one before. Bytes. */
export const MAX_LINE_BYTES = 4_096;
export const OVERLAP_BYTES = 512;

/** Cuts output into blocks of whole lines without escape sequences. Holds at most one line. */
export class LineBlocks {
  #rest: Buffer = Buffer.alloc(0);

  /** The line that is not complete, as base64, for the next program. */
  get rest(): string {
    return this.#rest.toString("base64");
  }

  set rest(text: string) {
    this.#rest = Buffer.from(text, "base64");
  }

  /** The lines that are complete with these bytes, which are borrowed; null: there are none. */
  add(bytes: Uint8Array): Buffer | null {
    const added = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
    const block = this.#rest.length === 0 ? added : Buffer.concat([this.#rest, added]);
    const end = block.lastIndexOf(NEWLINE) + 1;
    if (block.length - end <= MAX_LINE_BYTES) {
      this.#rest = Buffer.from(block.subarray(end));
      return end === 0 ? null : stripped(block.subarray(0, end));
    }
    this.#rest = Buffer.from(block.subarray(block.length - OVERLAP_BYTES));
    return stripped(block);
  }

  /** The line that is not complete; null: there is none. */
  end(): Buffer | null {
    const rest = this.#rest;
    this.#rest = Buffer.alloc(0);
    return rest.length === 0 ? null : stripped(rest);
  }
}

const stripped = (block: Buffer): Buffer => withoutEscapes(block, Buffer.allocUnsafe(block.length)).bytes;
