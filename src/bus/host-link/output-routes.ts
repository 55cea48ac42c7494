import type { OutputChunk } from "../../contract/messages.ts";

/** Output of at most so many bytes may go beside the others, such as an echo or a prompt. */
const SHORT_BYTES = 4 * 1024;
/** A chunk of so many bytes is a piece of a flood. */
const LONG_BYTES = 16 * 1024;
/** So long after one, milliseconds, others may still be under way. */
const FLOOD_MS = 100;
/** More than buffers hold on the way: what was sent before that has come. So has what was sent so long ago, milliseconds. */
const SURELY_CARRIED_BYTES = 2 * 1024 * 1024;
const SURELY_CARRIED_MS = 1_000;
/** So little of a process, bytes, is sent again at no cost if what comes after it comes first. */
const LITTLE_BYTES = 16 * 1024;

/**
 * Which connection output takes: its own, which floods share, or that of commands and events, where short output passes
 * the hundreds of kilobytes of somebody else's flood that lie in the sockets. Only where little of the process itself may
 * still lie there: offsets tell what is missing before such output, and the manager asks for it again.
 */
export class OutputRoutes {
  readonly #now: () => number;
  #carried = 0;
  #lastLong = Number.NEGATIVE_INFINITY;
  /** What may still be under way among the floods of each process, bytes; when the last of it was sent, and how much had been carried by then. */
  readonly #underWay = new Map<string, { bytes: number; time: number; carried: number }>();

  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  mayPass({ name, data }: OutputChunk): boolean {
    const time = this.#now();
    if (data.length > 0 && data.length <= SHORT_BYTES && time - this.#lastLong < FLOOD_MS && this.#bytesOf(name, time) <= LITTLE_BYTES)
      return true;
    if (data.length >= LONG_BYTES) this.#lastLong = time;
    this.#carried += data.length;
    this.#underWay.set(name, { bytes: this.#bytesOf(name, time) + data.length, time, carried: this.#carried });
    return false;
  }

  #bytesOf(name: string, time: number): number {
    const last = this.#underWay.get(name);
    if (last === undefined) return 0;
    return time - last.time > SURELY_CARRIED_MS || this.#carried - last.carried > SURELY_CARRIED_BYTES ? 0 : last.bytes;
  }
}
