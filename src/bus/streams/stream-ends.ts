import { MgrError } from "../../base/errors.ts";
import type { StreamFrame } from "../../contract/streams.ts";
import { StreamEnd } from "./stream-end.ts";

/** Maximum number of properly ended streams that are remembered: a peer that missed the last frame of one may request it again. */
const MAX_REMEMBERED = 1_024;
const GONE = Buffer.from("it is not open");

/** All streams that one side of a bus has open. */
export class StreamEnds {
  readonly #send: (frame: StreamFrame) => void;
  readonly #open = new Map<string, StreamEnd>();
  /** For properly ended streams: the offset that confirms everything, by stream, oldest first. */
  readonly #done = new Map<string, number>();

  constructor(send: (frame: StreamFrame) => void) {
    this.#send = send;
  }

  has(stream: string): boolean {
    return this.#open.has(stream);
  }

  open(stream: string): StreamEnd {
    const end = new StreamEnd({ id: stream, send: this.#send });
    this.#open.set(stream, end);
    end.once("close", () => {
      this.#open.delete(stream);
      const last = end.lastWord;
      if (last !== null) this.#remember(stream, last);
    });
    return end;
  }

  receive(frame: StreamFrame): void {
    const { stream, kind } = frame;
    const end = this.#open.get(stream);
    if (end) {
      end.receive(frame);
      return;
    }
    if (kind === "reset") return;
    const last = this.#done.get(stream);
    // Informs a peer that sends to a stream that is not open.
    try {
      if (last === undefined) this.#send({ stream, kind: "reset", offset: 0, data: GONE });
      else if (kind !== "credit") this.#send({ stream, kind: "credit", offset: last, data: new Uint8Array(0) });
    } catch {
      // Counts as lost: the peer repeats its frame.
    }
  }

  /** Closes all streams: the other side has disconnected. */
  closeAll(reason: string): void {
    for (const end of this.#open.values()) end.destroy(new MgrError("host_unavailable", reason));
    this.#done.clear();
  }

  #remember(stream: string, last: number): void {
    this.#done.set(stream, last);
    for (const oldest of this.#done.keys()) {
      if (this.#done.size <= MAX_REMEMBERED) break;
      this.#done.delete(oldest);
    }
  }
}
