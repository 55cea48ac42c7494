import { Duplex } from "node:stream";
import { MgrError, messageOf } from "../../base/errors.ts";
import { STREAM_CHUNK, STREAM_WINDOW, type StreamFrame, type StreamFrameKind } from "../../contract/streams.ts";

/** Time without progress after which the other end is asked for its position, milliseconds. */
const PROBE_MS = 1_000;
/** Time without a frame of the other end after which it is probed, milliseconds: its last frame may have been lost. */
const SILENCE_MS = 10_000;
/** Minimum number of bytes between two reports of the reader's progress: a quarter of the window, so that the sender can continue. */
const CREDIT_STEP = STREAM_WINDOW / 4;
const NOTHING = new Uint8Array(0);

interface StreamEndOptions {
  readonly id: string;
  /** Sends a frame. May throw: the frame then counts as lost, and is sent again when the other end misses it. */
  readonly send: (frame: StreamFrame) => void;
}

/**
 * One end of a stream over the bus, which has neither back-pressure nor retransmission: this class adds flow control and half close in both
 * directions, and sends lost data again. Each direction holds at most STREAM_WINDOW bytes at either end.
 */
export class StreamEnd extends Duplex {
  readonly id: string;
  readonly #send: StreamEndOptions["send"];
  /** Written data that the remote reader has not consumed yet; it begins at `#base`. */
  #kept: Uint8Array[] = [];
  #base = 0;
  #written = 0;
  #sent = 0;
  /** Offset up to which the remote reader has consumed the data. */
  #credited = 0;
  /** Callback of a write that waits for room. */
  #waiting: (() => void) | null = null;
  /** Set once everything is written; called when the other end confirms that it has received all of it. */
  #final: (() => void) | null = null;
  #isFinal = false;
  #isAcknowledged = false;
  #received = 0;
  #creditSent = 0;
  #hasEnded = false;
  /** Offset of the last gap found. A gap is reported once, and again after each probe. */
  #hole = -1;
  #isReset = false;
  #heardAt = performance.now();
  readonly #probe: NodeJS.Timeout;

  constructor({ id, send }: StreamEndOptions) {
    super({ allowHalfOpen: true, readableHighWaterMark: STREAM_WINDOW / 2, writableHighWaterMark: STREAM_CHUNK });
    this.id = id;
    this.#send = send;
    this.once("end", () => this.#sendCredit());
    this.#probe = setInterval(() => this.#ask(), PROBE_MS);
    this.#probe.unref();
  }

  /**
   * The credit that confirms everything from the other end, once it was read to the end and everything sent here is confirmed; else null.
   */
  get lastWord(): number | null {
    return this.readableEnded && this.#isAcknowledged ? this.#received + 1 : null;
  }

  /** Bytes written at this end, and bytes received from the other end. */
  get counts(): { written: number; received: number } {
    return { written: this.#written, received: this.#received };
  }

  /** Handles a frame of the other end. */
  receive({ kind, offset, data }: StreamFrame): void {
    if (this.destroyed) return;
    this.#heardAt = performance.now();
    if (kind === "data") this.#receive(offset, data);
    else if (kind === "end") this.#receiveEnd(offset);
    else if (kind === "credit") this.#receiveCredit(offset);
    else if (kind === "resend") this.#sendAgain(offset);
    else if (kind === "reset") this.#receiveReset(data);
    else if (offset > this.#received) this.#say("resend", this.#received);
    else this.#sendCredit();
  }

  override _read(): void {
    if (this.#received - this.readableLength - this.#creditSent >= CREDIT_STEP) this.#sendCredit();
  }

  override _write(chunk: Uint8Array, _encoding: string, done: () => void): void {
    this.#kept.push(chunk);
    this.#written += chunk.length;
    this.#transmit();
    if (this.#written - this.#credited < STREAM_WINDOW) done();
    else this.#waiting = done;
  }

  override _final(done: () => void): void {
    this.#isFinal = true;
    this.#final = done;
    this.#transmit();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    clearInterval(this.#probe);
    // If both ends have confirmed the end, no further frame is needed.
    if (!this.#isReset && !(error === null && this.lastWord !== null))
      this.#say("reset", 0, Buffer.from(error ? messageOf(error) : "it was closed").subarray(0, 1_000));
    this.#kept = [];
    done(error);
  }

  #receive(offset: number, data: Uint8Array): void {
    if (offset > this.#received) {
      this.#miss();
      return;
    }
    // A repetition of data that was already received.
    if (offset + data.length <= this.#received || this.#hasEnded) return;
    const fresh = data.subarray(this.#received - offset);
    if (this.readableLength + fresh.length > STREAM_WINDOW + STREAM_CHUNK) {
      this.destroy(new MgrError("busy", "the other end sent more than it was allowed to"));
      return;
    }
    this.#received += fresh.length;
    this.#hole = -1;
    this.push(fresh);
  }

  #receiveEnd(offset: number): void {
    if (offset > this.#received) {
      this.#miss();
      return;
    }
    if (this.#hasEnded) {
      this.#sendCredit();
      return;
    }
    this.#hasEnded = true;
    this.push(null);
  }

  #sendAgain(offset: number): void {
    if (offset >= this.#base && offset < this.#sent) this.#sent = offset;
    this.#transmit();
  }

  #receiveReset(reason: Uint8Array): void {
    this.#isReset = true;
    // The other end has received everything and has closed: only its last frame was lost.
    if (this.#hasEnded && this.#isFinal && this.#credited === this.#written) this.#acknowledge();
    else this.destroy(new MgrError("host_unavailable", `the connection was cut: ${Buffer.from(reason).toString()}`));
  }

  #receiveCredit(offset: number): void {
    // The end counts as one byte more.
    if (offset > this.#written + (this.#isFinal ? 1 : 0)) return;
    this.#credited = Math.max(this.#credited, Math.min(offset, this.#written));
    this.#sent = Math.max(this.#sent, this.#credited);
    for (let first = this.#kept[0]; first !== undefined && this.#base + first.length <= this.#credited; first = this.#kept[0]) {
      this.#base += first.length;
      this.#kept.shift();
    }
    if (this.#waiting !== null && this.#written - this.#credited < STREAM_WINDOW) {
      const done = this.#waiting;
      this.#waiting = null;
      done();
    }
    if (offset > this.#written) this.#acknowledge();
    else this.#transmit();
  }

  #acknowledge(): void {
    this.#isAcknowledged = true;
    const done = this.#final;
    this.#final = null;
    done?.();
  }

  /** Sends written data as far as the window allows. */
  #transmit(): void {
    const until = Math.min(this.#written, this.#credited + STREAM_WINDOW);
    let start = this.#base;
    for (const chunk of this.#kept) {
      while (this.#sent < until && this.#sent < start + chunk.length) {
        const from = this.#sent;
        const data = chunk.subarray(from - start, Math.min(from - start + STREAM_CHUNK, until - start));
        this.#sent += data.length;
        this.#say("data", from, data);
      }
      start += chunk.length;
    }
    if (this.#isFinal && !this.#isAcknowledged && this.#sent === this.#written) this.#say("end", this.#written);
  }

  #miss(): void {
    if (this.#hole === this.#received) return;
    this.#hole = this.#received;
    this.#say("resend", this.#received);
  }

  #sendCredit(): void {
    this.#creditSent = this.#received - this.readableLength;
    this.#say("credit", this.#creditSent + (this.readableEnded ? 1 : 0));
  }

  /** Called when sent data was not consumed (slow reader or lost frame), or the other end may have disconnected. */
  #ask(): void {
    if (this.#sent > this.#credited || performance.now() - this.#heardAt >= SILENCE_MS) this.#say("probe", this.#sent);
    if (this.#isFinal && !this.#isAcknowledged && this.#sent === this.#written) this.#say("end", this.#written);
  }

  #say(kind: StreamFrameKind, offset: number, data: Uint8Array = NOTHING): void {
    try {
      this.#send({ stream: this.id, kind, offset, data });
    } catch {
      // Counts as lost: the next probe detects it, or the end of the session ends the stream.
    }
  }
}
