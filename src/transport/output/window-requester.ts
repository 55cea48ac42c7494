import type { Clock } from "../../base/timing/clock.ts";
import type { OutputWindow } from "../../contract/messages.ts";
import type { OutputStream } from "./output-stream.ts";
import { closedWindow } from "./output-window.ts";

/** Interval at which windows are repeated while there are subscribers, milliseconds: a message lost on the bus delays output by no more than that. */
const REPEAT_MS = 1_000;
/** Maximum number of windows in one message (contract/messages.ts, outputWindows). */
export const MAX_WINDOWS_PER_MESSAGE = 512;

/** The source of output. `app/` implements it over the host links. */
export interface OutputSource {
  /** Sends at most 512 windows. There is no answer: windows that cannot be sent now are repeated. */
  window(host: string, windows: OutputWindow[]): void;
  /** Canonical name of the host that runs `name`, null if there is none. */
  hostOf(name: string): string | null;
}

/** Requests output from hosts: opens, moves and closes windows, and repeats those of all open streams. */
export class WindowRequester {
  readonly #source: OutputSource;
  readonly #clock: Clock;
  /** The hub's open streams, by name. */
  readonly #streams: ReadonlyMap<string, OutputStream>;
  /** Streams whose window is not moved because all their readers are full. */
  readonly #held = new Set<OutputStream>();
  #repeat: unknown = null;

  constructor(options: { source: OutputSource; clock: Clock; streams: ReadonlyMap<string, OutputStream> }) {
    this.#source = options.source;
    this.#clock = options.clock;
    this.#streams = options.streams;
  }

  /**
   * Requests output from each stream's position on, including bytes that were sent already. Streams that were closed meanwhile are skipped; held
   * ones wait.
   */
  open(streams: OutputStream[]): void {
    this.#open(streams, () => false);
  }

  /** Moves windows of streams that miss nothing: requests only what follows the output in flight. */
  move(streams: OutputStream[]): void {
    this.#open(streams, () => true);
  }

  /** Closes windows. Streams that were reopened meanwhile are skipped. */
  close(streams: OutputStream[]): void {
    for (const stream of streams) this.#held.delete(stream);
    const closed = streams.filter((stream) => !this.#streams.has(stream.name));
    this.#send(closed, ({ name, channel }) => closedWindow(name, channel.position));
    if (this.#streams.size === 0) this.stop();
  }

  /** Moves those of the held streams for which `isConcerned` is true and a subscriber has room again. */
  resume(isConcerned: (stream: OutputStream) => boolean): void {
    if (this.#held.size > 0) this.move([...this.#held].filter(isConcerned));
  }

  stop(): void {
    if (this.#repeat !== null) this.#clock.clearTimeout(this.#repeat);
    this.#repeat = null;
  }

  #isHeld(stream: OutputStream): boolean {
    if (stream.isHeld) this.#held.add(stream);
    else this.#held.delete(stream);
    return stream.isHeld;
  }

  #repeatAll(): void {
    this.#repeat = null;
    this.#open([...this.#streams.values()], ({ window, channel }) => !window.isStalled(channel.position));
  }

  #open(streams: OutputStream[], isMoved: (stream: OutputStream) => boolean): void {
    const requested = streams.filter((stream) => this.#streams.get(stream.name) === stream && !this.#isHeld(stream));
    this.#send(requested, (stream) => {
      const { name, channel, window, room, neverSkips: lossless } = stream;
      return window.opened(name, channel.position, { room, lossless, moved: isMoved(stream) });
    });
    if (this.#streams.size > 0) this.#repeat ??= this.#clock.setTimeout(() => this.#repeatAll(), REPEAT_MS);
  }

  #send(streams: OutputStream[], toWindow: (stream: OutputStream) => OutputWindow): void {
    const byHost = new Map<string, OutputWindow[]>();
    for (const stream of streams) {
      const host = this.#source.hostOf(stream.name);
      if (host === null) continue;
      const windows = byHost.get(host) ?? [];
      windows.push(toWindow(stream));
      byHost.set(host, windows);
    }
    for (const [host, windows] of byHost) {
      for (let start = 0; start < windows.length; start += MAX_WINDOWS_PER_MESSAGE) {
        this.#source.window(host, windows.slice(start, start + MAX_WINDOWS_PER_MESSAGE));
      }
    }
  }
}
