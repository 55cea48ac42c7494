/** The chunks that were written last, as many as hold the bytes that are not sent yet. */
export class UnsentTail {
  #chunks: Uint8Array[] = [];
  #bytes = 0;

  /** Called when `chunks` were written and `unsent` bytes in all were not sent at once. */
  wrote(chunks: readonly Uint8Array[], unsent: number): void {
    if (unsent === 0) {
      if (this.#bytes > 0) this.clear();
      return;
    }
    for (const chunk of chunks) {
      this.#chunks.push(chunk);
      this.#bytes += chunk.length;
    }
    let sent = 0;
    for (let rest = this.#bytes; sent < this.#chunks.length; sent++) {
      rest -= (this.#chunks[sent] as Uint8Array).length;
      if (rest < unsent) break;
      this.#bytes = rest;
    }
    if (sent > 0) this.#chunks.splice(0, sent);
  }

  clear(): void {
    this.#chunks = [];
    this.#bytes = 0;
  }

  /** The last `unsent` bytes. */
  last(unsent: number): Buffer {
    const all = Buffer.concat(this.#chunks);
    return all.subarray(all.length - unsent);
  }
}
