import { Duplex } from "node:stream";
import type { RawData, WebSocket } from "ws";
import { MgrError, messageOf } from "../../base/errors.ts";

/** Text frame that ends the direction of its sender. Bytes are in binary frames. */
const END = "end";
/** Number of bytes from which the WebSocket is not read, and from which writers wait. */
const HIGH_WATER_BYTES = 64 * 1024;
/** Maximum length of the reason in a close frame, bytes: 123 are allowed, and a character that is cut becomes one of 3. */
const MAX_REASON_BYTES = 120;
/** Close codes: both directions have ended; one of them was cut. */
const NORMAL = 1000;
const CUT = 1011;

/**
 * One TCP connection over an open WebSocket, which has no half close of its own. Neither end is read while the other one does not keep up. The stream is
 * destroyed with the reason if the WebSocket closes before both directions have ended.
 */
export class ByteChannel extends Duplex {
  readonly #ws: WebSocket;
  #hasEnded = false;
  /** Bytes from the other end, and bytes to it. */
  readonly counts = { received: 0, sent: 0 };

  constructor(ws: WebSocket) {
    super({ allowHalfOpen: true, readableHighWaterMark: HIGH_WATER_BYTES, writableHighWaterMark: HIGH_WATER_BYTES });
    this.#ws = ws;
    ws.on("message", (data, isBinary) => this.#receive(data, isBinary));
    ws.on("error", (error) => this.destroy(error));
    ws.once("close", (_code, reason) => {
      if (this.#hasEnded && this.writableFinished) return;
      this.destroy(new MgrError("host_unavailable", reason.toString() || "the connection was cut"));
    });
  }

  override _read(): void {
    this.#ws.resume();
  }

  override _write(chunk: Buffer, _encoding: string, done: (error?: Error | null) => void): void {
    this.counts.sent += chunk.length;
    let rest = chunk;
    // The other end refuses larger frames than MAX_FORWARD_FRAME_BYTES.
    for (; rest.length > HIGH_WATER_BYTES; rest = rest.subarray(HIGH_WATER_BYTES))
      this.#ws.send(rest.subarray(0, HIGH_WATER_BYTES), { binary: true });
    this.#ws.send(rest, { binary: true }, done);
  }

  override _final(done: (error?: Error | null) => void): void {
    this.#ws.send(END, { binary: false }, done);
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    const isEnded = error === null && this.#hasEnded && this.writableFinished;
    if (isEnded) this.#ws.close(NORMAL);
    else this.#ws.close(CUT, closeReason(error ? messageOf(error) : "the other end closed the connection"));
    // A paused WebSocket would not receive the other end's close frame.
    this.#ws.resume();
    done(error);
  }

  #receive(data: RawData, isBinary: boolean): void {
    if (this.destroyed || this.#hasEnded) return;
    if (!isBinary) {
      if (String(data) !== END) return void this.destroy(new MgrError("bad_frame", `a text frame must be '${END}'`));
      this.#hasEnded = true;
      this.push(null);
      return;
    }
    const bytes = Array.isArray(data) ? Buffer.concat(data) : Buffer.from(data as Buffer);
    this.counts.received += bytes.length;
    if (!this.push(bytes)) this.#ws.pause();
  }
}

/** A text that fits into a close frame. */
export function closeReason(text: string): string {
  return Buffer.from(text).subarray(0, MAX_REASON_BYTES).toString();
}
