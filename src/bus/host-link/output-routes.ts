import { MAX_SHORT_OUTPUT_BYTES, type OutputChunk } from "../../contract/messages.ts";

/** A chunk of at least this many bytes is part of a flood. */
const LONG_BYTES = 16 * 1024;
/** Time after such a chunk in which others may still be in flight, milliseconds. */
const FLOOD_MS = 100;
/** Output has surely arrived after this many further bytes, more than all buffers on the path hold, or this many milliseconds. */
const SURELY_CARRIED_BYTES = 2 * 1024 * 1024;
const SURELY_CARRIED_MS = 1_000;
/** Number of bytes of a process's output that are cheap to send again if later output overtakes them. */
const LITTLE_BYTES = 16 * 1024;

/**
 * Chooses the connection for output: its own, which floods share, or that of commands and events, where short output
 * bypasses hundreds of kilobytes of another process's flood in the socket buffers. Only if little output of the same process
 * may still be in flight: offsets show what is missing before such output, and the manager requests it again.
 */
export class OutputRoutes {
  readonly #now: () => number;
  #carried = 0;
  #lastLong = Number.NEGATIVE_INFINITY;
  /** Output of each process that may be in flight among the floods, bytes; when the last was sent, and how much was carried then. */
  readonly #inFlight = new Map<string, { bytes: number; time: number; carried: number }>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  mayPass({ name, data }: OutputChunk): boolean {
    const time = this.#now();
    if (
      data.length > 0 &&
      data.length <= MAX_SHORT_OUTPUT_BYTES &&
      time - this.#lastLong < FLOOD_MS &&
      this.#bytesOf(name, time) <= LITTLE_BYTES
    )
      return true;
    if (data.length >= LONG_BYTES) this.#lastLong = time;
    this.#carried += data.length;
    this.#inFlight.set(name, { bytes: this.#bytesOf(name, time) + data.length, time, carried: this.#carried });
    return false;
  }

  #bytesOf(name: string, time: number): number {
    const last = this.#inFlight.get(name);
    if (last === undefined) return 0;
    return time - last.time > SURELY_CARRIED_MS || this.#carried - last.carried > SURELY_CARRIED_BYTES ? 0 : last.bytes;
  }
}
