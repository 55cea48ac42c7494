import type { Clock } from "../base/clock.ts";
import type { OutputChunk, OutputWindow } from "../contract/messages.ts";
import { Coalescer } from "./coalescer.ts";
import { OutputChannel } from "./output-channel.ts";
import type { OutputPiece } from "./output-piece.ts";
import { type OutputPattern, type OutputSink, OutputSubscription } from "./output-subscription.ts";
import { closedWindow, WindowState } from "./output-window.ts";
import { SlicedWork } from "./sliced-work.ts";

/** Windows are repeated this often while anyone listens, milliseconds: a message lost on the bus costs no more than that. */
const REPEAT_MS = 1_000;
/** Windows in one message (contract/messages.ts, outputWindows). */
const MAX_WINDOWS_PER_MESSAGE = 512;

/** Where output comes from. `app/` implements it over the host links. */
export interface OutputSource {
  /** At most 512 windows. Fire and forget: what cannot be sent now is repeated. */
  window(host: string, windows: OutputWindow[]): void;
  /** Canonical name of the host that runs `name`, null if there is none. */
  hostOf(name: string): string | null;
}

interface Stream {
  readonly channel: OutputChannel;
  readonly window: WindowState;
  readonly subscribers: Set<OutputSubscription>;
  readonly waiters: Set<Waiter>;
}

interface Waiter {
  readonly offset: number;
  readonly done: () => void;
}

/**
 * Output of all processes of all hosts on its way to the connections that subscribed to it: an index from process to
 * connections, never a filter per connection. A process nobody listens to costs nothing: its window is closed.
 */
export class OutputHub {
  readonly #source: OutputSource;
  readonly #clock: Clock;
  readonly #coalescer: Coalescer;
  readonly #work: SlicedWork;
  readonly #names = new Set<string>();
  /** Processes with at least one subscriber. */
  readonly #streams = new Map<string, Stream>();
  readonly #subscriptions = new Set<OutputSubscription>();
  readonly #hostStreams = new Map<string, string>();
  #repeat: unknown = null;

  constructor(options: { source: OutputSource; clock: Clock }) {
    this.#source = options.source;
    this.#clock = options.clock;
    this.#coalescer = new Coalescer(options.clock);
    this.#work = new SlicedWork(options.clock);
  }

  // ── What comes from hosts ──

  /** `chunk.data` belongs to the hub from now on. */
  receive(host: string, chunk: OutputChunk): void {
    const stream = this.#streams.get(chunk.name);
    if (!stream || this.#source.hostOf(chunk.name) !== host) return;
    // Late chunks of a daemon that is gone: its successor's hello has come already.
    if (chunk.stream_id !== (this.#hostStreams.get(host) ?? chunk.stream_id)) return;
    const acceptance = stream.channel.accept(chunk);
    if (acceptance === "hole" && stream.window.reportHole(stream.channel.position)) this.#sendWindow(stream);
    if (acceptance === "advanced") this.#coalescer.touch(stream.channel);
    if (stream.window.isUsedUp(stream.channel.position)) this.#sendWindow(stream);
    this.#settle(stream);
  }

  /** A host's daemon obeys us now (after its hello, before the first spawn). Another `streamId` than before: its rings begin at 0. */
  hostReady(host: string, streamId: string): void {
    const before = this.#hostStreams.get(host);
    this.#hostStreams.set(host, streamId);
    const streams = [...this.#streams.values()].filter(({ channel }) => this.#source.hostOf(channel.name) === host);
    for (const stream of streams) {
      if ((before ?? stream.channel.streamId ?? streamId) === streamId) continue;
      stream.channel.restart(streamId);
      this.#release(stream);
    }
    this.#sendWindows(streams);
  }

  // ── Processes that come and go ──

  processAppeared(name: string): void {
    if (this.#names.has(name)) return;
    this.#names.add(name);
    const opened = this.#link(
      name,
      [...this.#subscriptions].filter((subscription) => subscription.wants(name)),
    );
    if (opened) this.#sendWindow(opened);
  }

  processGone(name: string): void {
    if (!this.#names.has(name)) return;
    this.flush(name);
    this.#names.delete(name);
    const subscribers = [...(this.#streams.get(name)?.subscribers ?? [])];
    this.#closeWindows(subscribers.flatMap((subscription) => this.#unlink(name, subscription)));
  }

  // ── Subscriptions ──

  /** A connection that listens. `everything`: to all of its view, without patterns. */
  open(options: { sink: OutputSink; contains: (name: string) => boolean; everything: boolean }): OutputSubscription {
    const subscription = new OutputSubscription(options);
    this.#subscriptions.add(subscription);
    if (options.everything) {
      this.#linkAll(
        [...this.#names].filter((name) => subscription.wants(name)),
        subscription,
      );
    }
    return subscription;
  }

  /**
   * Patterns that are there already change nothing. Throws `bad_field` when there would be too many. Where matching takes
   * long, the promise tells when all matching processes are subscribed.
   */
  subscribe(subscription: OutputSubscription, patterns: readonly string[]): void | Promise<void> {
    const added = subscription.add(patterns);
    const exact = added.filter((pattern) => this.#names.has(pattern.text) && subscription.admits(pattern, pattern.text));
    this.#linkAll(
      exact.map((pattern) => pattern.text),
      subscription,
    );
    const wildcards = added.filter((pattern) => pattern.isWildcard);
    if (wildcards.length > 0) return this.#work.run(this.#linkMatching(subscription, wildcards));
  }

  /** Removes equal patterns; a process stays subscribed while any other pattern wants it. */
  unsubscribe(subscription: OutputSubscription, patterns: readonly string[]): void | Promise<void> {
    subscription.remove(patterns);
    return this.#work.run(this.#unlinkUnwanted(subscription));
  }

  closeSubscription(subscription: OutputSubscription): void {
    this.#subscriptions.delete(subscription);
    this.#closeWindows([...subscription.names].flatMap((name) => this.#unlink(name, subscription)));
  }

  // ── Order of output and states ──

  /** Sends what waits to be joined, so that what follows cannot overtake it. */
  flush(name: string): void {
    const stream = this.#streams.get(name);
    if (stream) this.#coalescer.flush(stream.channel);
  }

  flushAll(): void {
    this.#coalescer.flushAll();
  }

  /**
   * Resolves once output is contiguous up to `offset`, or nobody is subscribed (any more). After `timeoutMs` what is
   * missing is declared lost to the subscribers, and it resolves too.
   */
  reached(name: string, offset: number, timeoutMs: number): Promise<void> {
    const stream = this.#streams.get(name);
    if (!stream || hasReached(stream, offset)) return Promise.resolve();
    return new Promise((resolve) => {
      const waiter: Waiter = {
        offset,
        done: () => {
          this.#clock.clearTimeout(timer);
          stream.waiters.delete(waiter);
          resolve();
        },
      };
      const timer = this.#clock.setTimeout(() => this.#giveUp(stream, waiter), timeoutMs);
      stream.waiters.add(waiter);
    });
  }

  close(): void {
    for (const subscription of [...this.#subscriptions]) this.closeSubscription(subscription);
    this.#coalescer.close();
    this.#work.close();
    this.#stopRepeating();
  }

  // ── Inside ──

  /** May take many turns: processes, patterns and the subscription itself may go meanwhile. */
  *#linkMatching(subscription: OutputSubscription, patterns: readonly OutputPattern[]): Generator<void> {
    let opened: Stream[] = [];
    for (const name of this.#names) {
      if (!this.#subscriptions.has(subscription)) break;
      const isNew = !subscription.names.has(name);
      if (isNew && patterns.some((pattern) => subscription.holds(pattern) && subscription.admits(pattern, name))) {
        const stream = this.#link(name, [subscription]);
        if (stream) opened.push(stream);
      }
      if (opened.length >= MAX_WINDOWS_PER_MESSAGE) {
        this.#sendWindows(opened);
        opened = [];
      }
      yield;
    }
    this.#sendWindows(opened);
  }

  *#unlinkUnwanted(subscription: OutputSubscription): Generator<void> {
    let closed: Stream[] = [];
    for (const name of subscription.names) {
      if (!subscription.wants(name)) closed.push(...this.#unlink(name, subscription));
      if (closed.length >= MAX_WINDOWS_PER_MESSAGE) {
        this.#closeWindows(closed);
        closed = [];
      }
      yield;
    }
    this.#closeWindows(closed);
  }

  #deliver(piece: OutputPiece): void {
    for (const subscription of this.#streams.get(piece.name)?.subscribers ?? []) subscription.sink.output(piece);
  }

  #linkAll(names: string[], subscription: OutputSubscription): void {
    const opened: Stream[] = [];
    for (const name of names) {
      const stream = this.#link(name, [subscription]);
      if (stream) opened.push(stream);
    }
    this.#sendWindows(opened);
  }

  /** Returns the stream if it has to be opened at the host. */
  #link(name: string, subscriptions: OutputSubscription[]): Stream | null {
    if (subscriptions.length === 0) return null;
    const existing = this.#streams.get(name);
    // What waits to be joined was written before the newcomer asked.
    if (existing) this.#coalescer.flush(existing.channel);
    const stream = existing ?? this.#openStream(name);
    for (const subscription of subscriptions) {
      stream.subscribers.add(subscription);
      subscription.names.add(name);
    }
    return existing ? null : stream;
  }

  /** Returns the stream if nobody is left to hear it: its window has to be closed. */
  #unlink(name: string, subscription: OutputSubscription): Stream[] {
    subscription.names.delete(name);
    const stream = this.#streams.get(name);
    stream?.subscribers.delete(subscription);
    if (stream?.subscribers.size !== 0) return [];
    this.#streams.delete(name);
    this.#coalescer.forget(stream.channel);
    this.#release(stream);
    if (this.#streams.size === 0) this.#stopRepeating();
    return [stream];
  }

  #openStream(name: string): Stream {
    const channel = new OutputChannel(name, (piece) => this.#deliver(piece));
    const stream: Stream = { channel, window: new WindowState(), subscribers: new Set(), waiters: new Set() };
    this.#streams.set(name, stream);
    this.#repeat ??= this.#clock.setTimeout(() => this.#repeatWindows(), REPEAT_MS);
    return stream;
  }

  #repeatWindows(): void {
    this.#repeat = this.#clock.setTimeout(() => this.#repeatWindows(), REPEAT_MS);
    this.#sendWindows([...this.#streams.values()]);
  }

  #stopRepeating(): void {
    if (this.#repeat !== null) this.#clock.clearTimeout(this.#repeat);
    this.#repeat = null;
  }

  #sendWindow(stream: Stream): void {
    this.#sendWindows([stream]);
  }

  /** Streams that were closed meanwhile are left out. */
  #sendWindows(streams: Stream[]): void {
    const open = streams.filter((stream) => this.#streams.get(stream.channel.name) === stream);
    this.#send(open, ({ channel, window }) => window.opened(channel.name, channel.position));
  }

  /** Streams that were opened anew meanwhile are left out. */
  #closeWindows(streams: Stream[]): void {
    const closed = streams.filter((stream) => !this.#streams.has(stream.channel.name));
    this.#send(closed, ({ channel }) => closedWindow(channel.name, channel.position));
  }

  #send(streams: Stream[], toWindow: (stream: Stream) => OutputWindow): void {
    const byHost = new Map<string, OutputWindow[]>();
    for (const stream of streams) {
      const host = this.#source.hostOf(stream.channel.name);
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

  #settle(stream: Stream): void {
    for (const waiter of [...stream.waiters]) if (hasReached(stream, waiter.offset)) waiter.done();
  }

  #release(stream: Stream): void {
    for (const waiter of [...stream.waiters]) waiter.done();
  }

  #giveUp(stream: Stream, waiter: Waiter): void {
    stream.channel.declareLost(waiter.offset);
    this.#coalescer.flush(stream.channel);
    this.#sendWindow(stream);
    this.#settle(stream);
    // Where the live end was never learnt there is nothing to declare.
    waiter.done();
  }
}

function hasReached(stream: Stream, offset: number): boolean {
  return stream.channel.position !== null && stream.channel.position >= offset;
}
