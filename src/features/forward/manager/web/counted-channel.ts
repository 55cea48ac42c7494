import { Duplex } from "node:stream";

/** A connection to a port that counts its bytes. Neither direction is read faster than it is consumed. */
export class CountedChannel extends Duplex {
  readonly #stream: Duplex;
  /** Bytes for the program, and bytes from it, as of a `ForwardUser`. */
  readonly counts = { received: 0, sent: 0 };

  constructor(stream: Duplex) {
    super({ allowHalfOpen: true });
    this.#stream = stream;
    stream.on("data", (chunk: Buffer) => {
      this.counts.sent += chunk.length;
      if (!this.push(chunk)) stream.pause();
    });
    stream.once("end", () => this.push(null));
    stream.on("error", (error) => this.destroy(error));
    stream.once("close", () => {
      if (!stream.readableEnded) this.destroy();
    });
  }

  override _read(): void {
    this.#stream.resume();
  }

  override _write(chunk: Buffer, encoding: BufferEncoding, done: (error?: Error | null) => void): void {
    this.counts.received += chunk.length;
    this.#stream.write(chunk, encoding, done);
  }

  override _final(done: () => void): void {
    this.#stream.end(done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#stream.destroy();
    done(error);
  }
}
