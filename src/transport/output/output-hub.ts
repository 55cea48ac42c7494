import type { Clock } from "../../base/timing/clock.ts";
import { SlicedWork, type Steps } from "../../base/timing/turns.ts";
import type { OutputChunk } from "../../contract/messages.ts";
import { Coalescer } from "./coalescer.ts";
import { FlowControl } from "./flow-control.ts";
import { OutputStream } from "./output-stream.ts";
import { type OutputPattern, type OutputSink, OutputSubscription } from "./output-subscription.ts";
import { MAX_WINDOWS_PER_MESSAGE, type OutputSource, WindowRequester } from "./window-requester.ts";

/** Maximum time that one turn spends on patterns, milliseconds: 1,000 patterns against 10,000 names take seconds. */
const SLICE_MS = 5;

/** The fields `low_delay_output` and `no_skip_display` of a process. */
export interface OutputMode {
  readonly low_delay_output: boolean;
  readonly no_skip_display: boolean;
}

/**
 * Passes the output of all processes on all hosts to the connections that subscribed to it: an index from process to connections, never a
 * filter per connection. A process without subscribers costs nothing: its window is closed.
 */
export class OutputHub {
  readonly #source: OutputSource;
  readonly #clock: Clock;
  readonly #coalescer: Coalescer;
  readonly #work: SlicedWork;
  readonly #windows: WindowRequester;
  readonly #flow: FlowControl;
  readonly #modes = new Map<string, OutputMode>();
  readonly #names = new Set<string>();
  /** Processes with at least one subscriber. */
  readonly #streams = new Map<string, OutputStream>();
  readonly #subscriptions = new Set<OutputSubscription>();
  /** Number of chunks that have arrived from each host. */
  readonly #arrivals = new Map<string, number>();
  readonly #hostStreams = new Map<string, { streamId: string; from: number }>();

  constructor(options: { source: OutputSource; clock: Clock }) {
    this.#source = options.source;
    this.#clock = options.clock;
    this.#coalescer = new Coalescer(options.clock);
    this.#work = new SlicedWork({ ms: SLICE_MS, clock: options.clock });
    this.#windows = new WindowRequester({ ...options, streams: this.#streams });
    this.#flow = new FlowControl(options.clock);
  }

  // ── Output from hosts ──

  /** Accepts a chunk; `chunk.data` belongs to the hub from now on. */
  receive(host: string, chunk: OutputChunk): void {
    this.#arrivals.set(host, (this.#arrivals.get(host) ?? 0) + 1);
    const stream = this.#streams.get(chunk.name);
    if (!stream || this.#source.hostOf(chunk.name) !== host) return;
    // Drops late chunks of an earlier daemon: its successor's hello has arrived already.
    if (chunk.stream_id !== (this.#hostStreams.get(host)?.streamId ?? chunk.stream_id)) return;
    const acceptance = stream.channel.accept(chunk);
    if (acceptance === "hole" && stream.window.reportHole(stream.channel.position)) this.#windows.open([stream]);
    if (acceptance === "advanced") this.#deliver(stream);
    if (stream.window.isUsedUp(stream.channel.position)) this.#windows.move([stream]);
    stream.settle();
  }

  /** Called when a host's daemon accepts commands (after its hello, before the first spawn). With a new `streamId` its output begins at `from`. */
  hostReady(host: string, streamId: string, from = 0): void {
    const before = this.#hostStreams.get(host)?.streamId;
    this.#hostStreams.set(host, { streamId, from });
    const streams = [...this.#streams.values()].filter(({ name }) => this.#source.hostOf(name) === host);
    for (const stream of streams) {
      if ((before ?? stream.channel.streamId ?? streamId) === streamId) continue;
      stream.channel.restart(streamId, from);
      stream.release();
    }
    this.#windows.open(streams);
  }

  /** Called when `name` is about to run on `host`: if it ran elsewhere before, its stream begins again there. */
  hasMoved(name: string, host: string): void {
    const stream = this.#streams.get(name);
    const next = this.#hostStreams.get(host);
    if (!stream || next === undefined || (stream.channel.streamId ?? next.streamId) === next.streamId) return;
    stream.channel.restart(next.streamId, next.from);
    stream.release();
    this.#windows.open([stream]);
  }

  // ── Added and removed processes ──

  processAppeared(name: string): void {
    if (this.#names.has(name)) return;
    this.#names.add(name);
    const opened = this.#link(
      name,
      [...this.#subscriptions].filter((subscription) => subscription.includes(name)),
    );
    if (opened) this.#windows.open([opened]);
  }

  processGone(name: string): void {
    if (!this.#names.has(name)) return;
    this.flush(name);
    this.#names.delete(name);
    const subscribers = [...(this.#streams.get(name)?.subscribers ?? [])];
    this.#windows.close(subscribers.flatMap((subscription) => this.#unlink(name, subscription)));
    this.#modes.delete(name);
  }

  /** Sets how the output of `name` is sent from now on, with or without subscribers. */
  setMode(name: string, mode: OutputMode): void {
    if (mode.low_delay_output || mode.no_skip_display) this.#modes.set(name, mode);
    else this.#modes.delete(name);
    const stream = this.#streams.get(name);
    if (!stream || (stream.isLowDelay === mode.low_delay_output && stream.neverSkips === mode.no_skip_display)) return;
    applyMode(stream, mode);
    this.#flow.check(stream);
    this.#windows.open([stream]);
  }

  // ── Subscriptions ──

  /** Adds a connection. `everything`: subscribes it to its whole view, without patterns. */
  open(options: { sink: OutputSink; contains: (name: string) => boolean; everything: boolean }): OutputSubscription {
    const subscription = new OutputSubscription(options);
    this.#subscriptions.add(subscription);
    if (options.everything) {
      this.#linkAll(
        [...this.#names].filter((name) => subscription.includes(name)),
        subscription,
      );
    }
    return subscription;
  }

  /**
   * Adds patterns; existing ones change nothing. Throws `bad_field` if there would be too many. If matching takes long, the promise resolves when
   * all matching processes are subscribed.
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

  /** Removes equal patterns; a process stays subscribed while any other pattern matches it. */
  unsubscribe(subscription: OutputSubscription, patterns: readonly string[]): void | Promise<void> {
    subscription.remove(patterns);
    return this.#work.run(this.#unlinkUnwanted(subscription));
  }

  closeSubscription(subscription: OutputSubscription): void {
    this.#subscriptions.delete(subscription);
    this.#windows.close([...subscription.names].flatMap((name) => this.#unlink(name, subscription)));
  }

  /** Called when the sink of `subscription` is no longer full. */
  hasRoom(subscription: OutputSubscription): void {
    const isConcerned = (stream: OutputStream) => stream.subscribers.has(subscription);
    this.#windows.move(this.#flow.recheck(isConcerned));
    this.#windows.resume(isConcerned);
  }

  // ── Order of output and states ──

  /** Sends output that waits to be joined, so that later frames cannot overtake it. */
  flush(name: string): void {
    const stream = this.#streams.get(name);
    if (stream) this.#coalescer.flush(stream.channel);
  }

  flushAll(): void {
    this.#coalescer.flushAll();
  }

  /**
   * Resolves once output is contiguous up to `offset`, or there are no subscribers (any more). After `timeoutMs` without output of the host, missing output is reported
   * as lost to the subscribers, and the promise resolves, too.
   */
  reached(name: string, offset: number, timeoutMs: number): Promise<void> {
    const stream = this.#streams.get(name);
    if (!stream || stream.hasReached(offset)) return Promise.resolve();
    return stream.reached(offset, {
      clock: this.#clock,
      milliseconds: timeoutMs,
      arrivals: () => this.#arrivals.get(this.#source.hostOf(name) ?? "") ?? 0,
      hurry: (isSilent) => (isSilent ? this.#windows.open([stream]) : this.#windows.resume((held) => held === stream)),
      giveUp: () => this.#giveUp(stream, offset),
    });
  }

  close(): void {
    for (const subscription of [...this.#subscriptions]) this.closeSubscription(subscription);
    this.#flow.close();
    this.#coalescer.close();
    this.#work.close();
    this.#windows.stop();
  }

  // ── Inside ──

  /** May take many turns: processes, patterns and the subscription itself may be removed meanwhile. */
  *#linkMatching(subscription: OutputSubscription, patterns: readonly OutputPattern[]): Steps {
    let opened: OutputStream[] = [];
    for (const name of this.#names) {
      if (!this.#subscriptions.has(subscription)) break;
      const isNew = !subscription.names.has(name);
      if (isNew && patterns.some((pattern) => subscription.holds(pattern) && subscription.admits(pattern, name))) {
        const stream = this.#link(name, [subscription]);
        if (stream) opened.push(stream);
      }
      if (opened.length >= MAX_WINDOWS_PER_MESSAGE) {
        this.#windows.open(opened);
        opened = [];
      }
      yield;
    }
    this.#windows.open(opened);
  }

  *#unlinkUnwanted(subscription: OutputSubscription): Steps {
    let closed: OutputStream[] = [];
    for (const name of subscription.names) {
      if (!subscription.includes(name)) closed.push(...this.#unlink(name, subscription));
      if (closed.length >= MAX_WINDOWS_PER_MESSAGE) {
        this.#windows.close(closed);
        closed = [];
      }
      yield;
    }
    this.#windows.close(closed);
  }

  #linkAll(names: string[], subscription: OutputSubscription): void {
    const opened: OutputStream[] = [];
    for (const name of names) {
      const stream = this.#link(name, [subscription]);
      if (stream) opened.push(stream);
    }
    this.#windows.open(opened);
  }

  /** Returns the stream if it has to be opened at the host. */
  #link(name: string, subscriptions: OutputSubscription[]): OutputStream | null {
    if (subscriptions.length === 0) return null;
    const existing = this.#streams.get(name);
    // Output that waits to be joined was written before the new subscription.
    if (existing) this.#coalescer.flush(existing.channel);
    const stream = existing ?? this.#openStream(name);
    for (const subscription of subscriptions) {
      stream.subscribers.add(subscription);
      subscription.names.add(name);
    }
    if (existing) this.#windows.resume((held) => held === existing);
    return existing ? null : stream;
  }

  /** Returns the stream if it has no subscribers left: its window has to be closed. */
  #unlink(name: string, subscription: OutputSubscription): OutputStream[] {
    subscription.names.delete(name);
    const stream = this.#streams.get(name);
    stream?.subscribers.delete(subscription);
    if (stream?.neverSkips) {
      this.#flow.check(stream);
      // This may be the subscriber for which the others waited.
      if (stream.subscribers.size > 0) this.#windows.move([stream]);
    }
    if (stream?.subscribers.size !== 0) return [];
    this.#streams.delete(name);
    this.#coalescer.forget(stream.channel);
    stream.release();
    return [stream];
  }

  #openStream(name: string): OutputStream {
    const stream = new OutputStream(name);
    const mode = this.#modes.get(name);
    if (mode) applyMode(stream, mode);
    this.#streams.set(name, stream);
    return stream;
  }

  #deliver(stream: OutputStream): void {
    if (stream.isLowDelay && stream.channel.pendingBytes > 0) this.#coalescer.flush(stream.channel);
    else this.#coalescer.touch(stream.channel);
    if (stream.neverSkips) this.#flow.check(stream);
  }

  #giveUp(stream: OutputStream, offset: number): void {
    // If the live end was never known, there is no gap to report.
    stream.channel.declareLost(offset);
    this.#coalescer.flush(stream.channel);
    this.#windows.open([stream]);
    stream.settle();
  }
}

function applyMode(stream: OutputStream, mode: OutputMode): void {
  stream.isLowDelay = mode.low_delay_output;
  stream.neverSkips = mode.no_skip_display;
}
