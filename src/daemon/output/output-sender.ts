import { z } from "zod";
import { MAX_CHUNK_BYTES, MAX_SHORT_OUTPUT_BYTES, MAX_WINDOW_BYTES, type OutputChunk, type OutputWindow } from "../../contract/messages.ts";
import type { OutputRing } from "./output-ring.ts";

/**
 * Streaming output is sent once this many bytes are there, or after this time, milliseconds: a terminal delivers 4 KiB per read, and a
 * message for each would cost eight times as much as its bytes.
 */
const BATCH_BYTES = MAX_CHUNK_BYTES;
const BATCH_MS = 2;
/** Numbers of bytes not yet consumed by a lossless reader at which the program has to wait, and at which it may continue. */
const HOLD_BYTES = 1024 * 1024;
const RELEASE_BYTES = HOLD_BYTES / 2;

interface Progress {
  /** Offset that the reader has consumed. */
  consumed: number;
  /** Offset of the next byte to send. */
  next: number;
  /** Offset at which the window ends. */
  until: number;
  lossless: boolean;
}

interface OutputSenderOptions {
  streamId: string;
  findRing: (name: string) => OutputRing | undefined;
  /** Offset at which the ring of a new name will begin; left out: 0. */
  origin?: () => number;
  send: (chunk: OutputChunk) => void;
  /** Whether the output path has room; `roomAgain` reports when it has room again. Left out: always. */
  hasRoom?: () => boolean;
  /** Holds or resumes the program that writes `name`. */
  hold: (name: string, held: boolean) => void;
}

/** Lossless readers, by name, with the offset that each has consumed. */
export const losslessReaders = z.array(z.tuple([z.string(), z.int().min(0)]));
type LosslessReaders = z.infer<typeof losslessReaders>;

/**
 * Sends output as far as windows allow (contract/messages.ts, outputWindow): never a byte more, however slow the reader. While the output
 * path is full, output waits in its ring and not in a queue, where it would delay the output of other processes; afterwards the waiting
 * names take turns (docs/decisions/0016).
 */
export class OutputSender {
  readonly #options: OutputSenderOptions;
  readonly #windows = new Map<string, Progress>();
  readonly #grown = new Set<string>();
  readonly #held = new Set<string>();
  /** Names that wait for room, the next one first. */
  readonly #waiting = new Set<string>();
  /** Time at which output of a name with a window was last received, by the monotonic clock. */
  readonly #lastGrown = new Map<string, number>();
  #timer: NodeJS.Timeout | null = null;

  constructor(options: OutputSenderOptions) {
    this.#options = options;
  }

  set({ name, from, length, moved = false, lossless = false }: OutputWindow): void {
    if (length === 0) {
      this.#windows.delete(name);
      this.#lastGrown.delete(name);
      this.#weigh(name);
      return;
    }
    // A new reader begins with a whole character, even if a part of it is already in the ring.
    const end = this.#options.findRing(name)?.characterEnd ?? this.#options.origin?.() ?? 0;
    const first = from ?? end;
    const sent = moved ? (this.#windows.get(name)?.next ?? first) : first;
    this.#windows.set(name, { consumed: first, next: Math.max(first, sent), until: first + length, lossless });
    this.#weigh(name);
    if (from === null) this.#send(name, { offset: end, gap: 0, data: new Uint8Array(0) });
    this.pump(name);
  }

  /** Keeps what lossless readers had not consumed before the program was replaced, until they open their windows again or `clear` is called. */
  take(readers: LosslessReaders): void {
    for (const [name, consumed] of readers) {
      this.#windows.set(name, { consumed, next: consumed, until: consumed, lossless: true });
      this.#weigh(name);
    }
  }

  handOver(): LosslessReaders {
    return [...this.#windows].flatMap(([name, { lossless, consumed }]) => (lossless ? [[name, consumed] as [string, number]] : []));
  }

  /** Output of `name` was received: sent at once after quiet, in larger pieces when it streams. */
  grown(name: string): void {
    const window = this.#windows.get(name);
    const ring = this.#options.findRing(name);
    if (window === undefined || ring === undefined) return;
    if (window.lossless) this.#weigh(name);
    const now = performance.now();
    const isAfterQuiet = now - (this.#lastGrown.get(name) ?? Number.NEGATIVE_INFINITY) >= BATCH_MS;
    this.#lastGrown.set(name, now);
    if (isAfterQuiet || ring.end - window.next >= BATCH_BYTES) {
      this.#grown.delete(name);
      if (isAfterQuiet && ring.end - window.next <= MAX_SHORT_OUTPUT_BYTES) while (this.#sendNext(name));
      else this.pump(name);
    } else {
      this.#grown.add(name);
      this.#timer ??= setTimeout(() => this.#pumpGrown(), BATCH_MS);
    }
  }

  /** Sends available output of `name`; without room the rest waits for its turn. */
  pump(name: string): void {
    while (this.#isDue(name)) {
      if (!this.#mayGo(name)) {
        this.#waiting.add(name);
        return;
      }
      this.#sendNext(name);
    }
  }

  /** Sends waiting output: the output path has room again. */
  roomAgain(): void {
    // A name with more output goes to the end of the queue, and gets its next turn in this loop.
    for (const name of this.#waiting) {
      if (!this.#hasRoom()) return;
      this.#waiting.delete(name);
      if (this.#sendNext(name)) this.#waiting.add(name);
    }
  }

  clear(): void {
    const names = [...this.#windows.keys()];
    this.#windows.clear();
    for (const name of names) this.#weigh(name);
    this.#lastGrown.clear();
    this.#grown.clear();
    this.#waiting.clear();
    if (this.#timer !== null) clearTimeout(this.#timer);
    this.#timer = null;
  }

  /** Decides whether the program has to wait for its reader, and which bytes the ring must keep. */
  #weigh(name: string): void {
    const ring = this.#options.findRing(name);
    const window = this.#windows.get(name);
    const pin = window?.lossless === true ? window.consumed : null;
    if (ring !== undefined) ring.pin = pin;
    const behind = pin === null ? 0 : (ring?.end ?? 0) - pin;
    const isHeld = this.#held.has(name);
    if (isHeld ? behind > RELEASE_BYTES : behind < HOLD_BYTES) return;
    if (isHeld) this.#held.delete(name);
    else this.#held.add(name);
    this.#options.hold(name, !isHeld);
  }

  #hasRoom(): boolean {
    return this.#options.hasRoom?.() ?? true;
  }

  /** Without room, output of a ring smaller than a window is sent all the same: the ring would lose it. */
  #mayGo(name: string): boolean {
    return this.#hasRoom() || (this.#options.findRing(name)?.backlog ?? 0) < MAX_WINDOW_BYTES;
  }

  #isDue(name: string): boolean {
    const window = this.#windows.get(name);
    return window !== undefined && window.next < Math.min(window.until, this.#options.findRing(name)?.end ?? 0);
  }

  /** Sends the next chunk, or reports a gap; false: there is nothing to send. */
  #sendNext(name: string): boolean {
    const ring = this.#options.findRing(name);
    // The receiver of a chunk may move the window at once, so it is read again for each chunk.
    const window = this.#windows.get(name);
    if (ring === undefined || window === undefined) return false;
    const { next, until } = window;
    const limit = Math.min(until, ring.end);
    if (next >= limit) return false;
    if (next < ring.start) {
      window.next = Math.min(ring.start, until);
      this.#send(name, { offset: next, gap: window.next - next, data: new Uint8Array(0) });
    } else {
      const { data } = ring.read(next, Math.min(limit - next, MAX_CHUNK_BYTES));
      window.next = next + data.length;
      this.#send(name, { offset: next, gap: 0, data });
    }
    return true;
  }

  #pumpGrown(): void {
    this.#timer = null;
    const names = [...this.#grown];
    this.#grown.clear();
    for (const name of names) this.pump(name);
  }

  #send(name: string, chunk: Pick<OutputChunk, "offset" | "gap" | "data">): void {
    this.#options.send({ name, stream_id: this.#options.streamId, ...chunk });
  }
}
