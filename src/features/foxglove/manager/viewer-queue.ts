import type { WebSocket } from "ws";
import type { Clock } from "../../../base/timing/clock.ts";
import { MAX_CONTROL_BYTES, MAX_SAMPLE_BYTES, MAX_SOCKET_BYTES } from "../limits.ts";

/** Memory of a waiting message beside its bytes, bytes. */
const OVERHEAD_BYTES = 64;
/** Minimum time between two notices of dropped samples, and the time without a drop after which the notice is removed, ms. */
const NOTICE_MS = 1_000;
const NOTICE_ID = "mgr.dropped";

/** Bytes that wait, oldest first. */
class Waiting {
  #messages: (Buffer | string)[] = [];
  #first = 0;
  bytes = 0;

  push(message: Buffer | string): void {
    this.#messages.push(message);
    this.bytes += message.length + OVERHEAD_BYTES;
  }

  shift(): Buffer | string | undefined {
    const message = this.#messages[this.#first];
    if (message === undefined) return undefined;
    this.bytes -= message.length + OVERHEAD_BYTES;
    // Its memory is free at once, before the list is shortened.
    this.#messages[this.#first] = "";
    this.#first++;
    if (this.#first * 2 > this.#messages.length) {
      this.#messages = this.#messages.slice(this.#first);
      this.#first = 0;
    }
    return message;
  }
}

/** The bounded queue of one viewer. Samples are dropped, the oldest first, when it does not read fast enough; a status says how many. */
export class ViewerQueue {
  readonly #ws: WebSocket;
  readonly #clock: Clock;
  readonly #control = new Waiting();
  readonly #samples = new Waiting();
  #dropped = 0;
  /** Dropped samples when the last notice was sent. */
  #noticed = 0;
  #timer: unknown = null;

  constructor(ws: WebSocket, clock: Clock) {
    this.#ws = ws;
    this.#clock = clock;
    ws.once("close", () => clock.clearTimeout(this.#timer));
  }

  /** Sends a message that must not be lost. Disconnects a viewer that does not read. */
  send(message: object | Buffer): void {
    this.#control.push(Buffer.isBuffer(message) ? message : JSON.stringify(message));
    if (this.#control.bytes > MAX_CONTROL_BYTES) this.#ws.terminate();
    else this.#flush();
  }

  sample(bytes: Buffer): void {
    this.#samples.push(bytes);
    this.#flush();
    while (this.#samples.bytes > MAX_SAMPLE_BYTES && this.#samples.shift() !== undefined) this.#dropped++;
    if (this.#dropped > this.#noticed && this.#timer === null) this.#notice();
  }

  #flush(): void {
    while (this.#ws.readyState === this.#ws.OPEN && this.#ws.bufferedAmount < MAX_SOCKET_BYTES) {
      const message = this.#control.shift() ?? this.#samples.shift();
      if (message === undefined) return;
      this.#ws.send(message, { compress: false }, () => this.#flush());
    }
  }

  #notice(): void {
    this.#timer = null;
    if (this.#ws.readyState !== this.#ws.OPEN) return;
    if (this.#noticed === this.#dropped) {
      this.send({ op: "removeStatus", statusIds: [NOTICE_ID] });
      return;
    }
    this.#noticed = this.#dropped;
    const message = `This viewer does not read fast enough: ${this.#dropped} samples were dropped. Subscribe to fewer topics.`;
    this.send({ op: "status", level: 1, id: NOTICE_ID, message });
    this.#timer = this.#clock.setTimeout(() => this.#notice(), NOTICE_MS);
  }
}
