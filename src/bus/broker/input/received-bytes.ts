/** Bytes that a client has sent and the broker has not processed yet. */
export class ReceivedBytes {
  bytes = 0;
  /** Read position in the first chunk. */
  position = 0;
  #chunks: Buffer[] = [];

  /** The first chunk; undefined: nothing waits. */
  get first(): Buffer | undefined {
    return this.#chunks[0];
  }

  add(bytes: Uint8Array): void {
    this.#chunks.push(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    this.bytes += bytes.length;
  }

  /** The bytes that were not processed. */
  rest(): Buffer[] {
    return this.#chunks.map((chunk, index) => (index === 0 ? chunk.subarray(this.position) : chunk));
  }

  /** Drops the first chunk if it was read completely; false: it was not. */
  consume(): boolean {
    const [chunk] = this.#chunks;
    if (chunk === undefined || this.position < chunk.length) return false;
    this.#chunks.shift();
    this.bytes -= chunk.length;
    this.position = 0;
    return true;
  }

  discard(): void {
    this.#chunks = [];
    this.bytes = 0;
    this.position = 0;
  }
}
