import type { EncodedFrame, EventBatch, ReadPosition } from "./event-batch.ts";
import { type NewsReader, NewsSchedule } from "./news-schedule.ts";
import { type OutboxItem, OutboxQueue } from "./outbox-queue.ts";
import type { OutputPiece } from "./output/output-piece.ts";
import type { OutputSink } from "./output/output-subscription.ts";
import { SkippedOutput } from "./output/skipped-output.ts";

/** Beyond this many waiting bytes output is skipped and upserts are merged (docs/design/runtime-invariants.md, "Frames out"). */
export const SOFT_LIMIT_BYTES = 1024 * 1024;
/** Beyond this many waiting bytes no more output is requested: it waits in the host's ring instead of being skipped here. */
const FULL_BYTES = 640 * 1024;
/** Output is requested again below this many waiting bytes. */
const ROOM_BYTES = 384 * 1024;
/** Bytes of output per byte of a frame: names, offsets and escaped characters need the rest. */
const OUTPUT_SHARE = 0.85;
/** Output resumes below this many waiting bytes, so that a slow reader gets longer pieces instead of single lines. */
const RESUME_BYTES = SOFT_LIMIT_BYTES / 2;
/** Beyond this many waiting bytes processes whose output must not be skipped are held back (docs/design/wire-rules.md, "Output"). */
export const FAR_BEHIND_BYTES = 4 * 1024 * 1024;
/** Held-back processes continue below this many waiting bytes, so far below the limit that a slow but steady reader is not closed. */
const CAUGHT_UP_BYTES = FAR_BEHIND_BYTES - 512 * 1024;
/** Beyond this many waiting bytes the connection is closed. */
export const HARD_LIMIT_BYTES = 8 * 1024 * 1024;
/**
 * The limit while unskippable output waits: each such process may have as much in flight as its window holds, and the end of the output of
 * one that has exited is sent whole.
 */
const UNSKIPPED_LIMIT_BYTES = 32 * 1024 * 1024;
/** Maximum number of bytes passed to the socket ahead of the network; the rest stays here, where it can still be merged or skipped. */
const WRITE_AHEAD_BYTES = 256 * 1024;
/** Maximum size of a fragment, bytes: larger answers are sent in fragments, so that progress is visible and pings get through. */
const SLICE_BYTES = 64 * 1024;

/** The part of a WebSocket that the outbox needs. */
export interface OutboxSocket {
  /** `fin: false`: more of the same message follows. `done` once the kernel has the bytes, or on failure. */
  send(data: Buffer, options: { fin: boolean }, done: (error?: Error | null) => void): void;
  /**
   * Sends whole messages in one write, outside of cork and uncork; connections that are sent the same get the same batch. Left out: all messages are
   * passed to `send`.
   */
  sendBatch?(batch: EventBatch, done: (error?: Error | null) => void): void;
  /** Bytes that the kernel has not accepted yet. */
  readonly bufferedAmount: number;
  /** Between cork and uncork, small writes are joined. */
  cork(): void;
  uncork(): void;
}

export interface OutboxObserver {
  /** The kernel accepts no more for now; `progress` follows whenever it accepts some, `drained` once all is sent. */
  congested(): void;
  progress(): void;
  drained(): void;
  /** `isFull` or `isFarBehind` has ended. */
  hasRoom?(): void;
  /** The hard limit is exceeded: the connection has to be closed. */
  overflow(): void;
  /** The client held a process back for too long: the connection has to be closed, with `reason` as text. */
  tooSlow?(reason: string): void;
}

/** A part of an item, and the number of its bytes that the socket has. */
interface Sending {
  readonly item: OutboxItem;
  readonly bytes: Buffer;
  readonly sent: number;
}

function followingPart(item: OutboxItem): Sending | null {
  const part = item.more?.next();
  return part === undefined || part.done ? null : { item, bytes: part.value, sent: 0 };
}

/**
 * Everything that is sent on one connection, bounded in bytes; in order, except that short output overtakes the long output of other
 * processes. Frames of one turn are sent in one write, and so are events of a burst.
 */
export class Outbox implements OutputSink, NewsReader {
  readonly #socket: OutboxSocket;
  readonly #observer: OutboxObserver;
  readonly #news: NewsSchedule;
  readonly #queue = new OutboxQueue();
  readonly #skipped = new SkippedOutput();
  #events: ReadPosition | null = null;
  #current: Sending | null = null;
  #inFlight = 0;
  /** The part of `#current` and `#inFlight` that counts against the limits. */
  #countedAhead = 0;
  #behind = false;
  #full = false;
  #farBehind = false;
  /** Whether some of the waiting output must not be skipped. */
  #keepsOutput = false;
  #congested = false;
  #scheduled = false;
  /** Whether the socket has enough for now; it calls back when it has room again. */
  #waitsForSocket = false;
  #closed = false;

  /** `news`: shared with the other connections. */
  constructor(socket: OutboxSocket, observer: OutboxObserver, news = new NewsSchedule()) {
    this.#socket = socket;
    this.#observer = observer;
    this.#news = news;
  }

  /** Bytes that count against the limits and are not in the kernel yet. */
  get waitingBytes(): number {
    return this.#queue.countedBytes + this.#countedAhead;
  }

  /** Whether enough output is waiting for now. */
  get isFull(): boolean {
    return this.#full;
  }

  /** Bytes of output that may be in flight without exceeding the soft limit. */
  get room(): number {
    return Math.max(0, Math.floor((SOFT_LIMIT_BYTES - this.waitingBytes) * OUTPUT_SHARE));
  }

  get isFarBehind(): boolean {
    return this.#farBehind;
  }

  tooSlow(reason: string): void {
    this.close();
    this.#observer.tooSlow?.(reason);
  }

  /** Sends the events of an audience from now on, in a burst some milliseconds later, instead of those of an earlier one. Null: no more. */
  follow(join: (() => ReadPosition) | null): void {
    this.#collect();
    const earlier = this.#events;
    // Joined first, so that streams which both have stay open.
    this.#events = this.#closed ? null : (join?.() ?? null);
    earlier?.leave();
  }

  hasEvents(): void {
    if (!this.#scheduled) this.#news.add(this);
  }

  /** Sends the events whose time has come; those of a slow reader are queued. */
  sendEvents(): void {
    if (this.#waitsForSocket) this.#collect();
    else this.flush();
  }

  /** Queues an event that must be delivered, as those of the audience. */
  push(frame: EncodedFrame): void {
    this.#collect();
    this.#queueEvent(frame);
    if (!this.#closed && !this.#isScheduled()) this.#news.add(this);
  }

  /** Queues a frame that must be delivered, and does not wait: `ack`, `error` and the like. */
  reply(bytes: Buffer): void {
    this.#enqueue(itemOf(bytes));
  }

  /** Queues output. It is skipped while the reader is behind, unless `keep` is set. */
  output(piece: OutputPiece, keep = false): void {
    this.#keepsOutput ||= keep;
    if (this.#behind && !keep) this.#skipped.miss(piece);
    else this.#enqueue(itemOf(this.#skipped.resume(piece).encoded, { process: piece.name }));
  }

  /**
   * Queues a requested answer of any size; its parts in `more` are created as the socket drains, so that a large one does not block other clients.
   */
  answer(bytes: Buffer, onSent: (() => void) | null = null, more?: Iterator<Buffer>): void {
    this.#enqueue(itemOf(bytes, { exempt: true, onSent, more }));
  }

  /** Sends as much as the socket accepts now instead of at the end of the turn. */
  flush(): void {
    if (this.#closed) return;
    this.#news.remove(this);
    if (this.#sendBatch()) return;
    this.#collect();
    if (this.#current === null && this.#queue.isEmpty) return;
    this.#socket.cork();
    while (this.#inFlight < WRITE_AHEAD_BYTES && this.#sendNext());
    this.#waitsForSocket = this.#inFlight >= WRITE_AHEAD_BYTES;
    this.#socket.uncork();
    this.#reportCongested();
  }

  close(): void {
    this.#closed = true;
    this.#news.remove(this);
    this.#events?.leave();
    this.#events = null;
    this.#queue.clear();
    this.#current = null;
  }

  #enqueue(item: OutboxItem): void {
    this.#collect();
    this.#queueItem(item);
    this.#schedule();
  }

  #queueEvent({ bytes, mergeKey }: EncodedFrame): void {
    if (this.#behind && mergeKey !== null) this.#queue.drop(mergeKey);
    this.#queueItem(itemOf(bytes, { mergeKey }));
  }

  /** Sends the events of the audience as they are, if nothing waits before them. */
  #sendBatch(): boolean {
    if (this.#socket.sendBatch === undefined || this.#current !== null || this.#waitsForSocket || !this.#queue.isEmpty) return false;
    const batch = this.#events?.take() ?? null;
    if (batch === null) return false;
    const { bytes } = batch;
    if (this.#inFlight + bytes >= WRITE_AHEAD_BYTES) {
      for (const frame of batch.frames) this.#queueEvent(frame);
      return false;
    }
    this.#inFlight += bytes;
    this.#countedAhead += bytes;
    this.#socket.sendBatch(batch, () => this.#accepted(bytes, bytes));
    this.#reportCongested();
    return true;
  }

  /** Queues the events of the audience that were not taken yet. */
  #collect(): void {
    for (const frame of this.#events?.take()?.frames ?? []) this.#queueEvent(frame);
  }

  #queueItem(item: OutboxItem): void {
    if (this.#closed) return;
    this.#queue.push(item);
    if (this.waitingBytes > (this.#keepsOutput ? UNSKIPPED_LIMIT_BYTES : HARD_LIMIT_BYTES)) {
      this.close();
      this.#observer.overflow();
      return;
    }
    if (this.waitingBytes > FULL_BYTES) this.#full = true;
    if (this.waitingBytes > FAR_BEHIND_BYTES) this.#farBehind = true;
    if (this.waitingBytes > SOFT_LIMIT_BYTES) this.#behind = true;
  }

  #isScheduled(): boolean {
    return this.#scheduled || this.#waitsForSocket;
  }

  #schedule(): void {
    if (this.#closed || this.#isScheduled()) return;
    this.#scheduled = true;
    const flush = () => {
      this.#scheduled = false;
      this.flush();
    };
    // A client that reads the parts of a long answer as fast as they are created must not block all others until its end.
    if (this.#current?.item.exempt) setImmediate(flush);
    else queueMicrotask(flush);
  }

  #sendNext(): boolean {
    this.#current ??= this.#dequeue();
    if (this.#current === null) return false;
    const { item, bytes, sent } = this.#current;
    const end = item.exempt ? Math.min(bytes.length, sent + SLICE_BYTES) : bytes.length;
    this.#current = end < bytes.length ? { item, bytes, sent: end } : followingPart(item);
    const fin = this.#current === null;
    const size = end - sent;
    this.#inFlight += size;
    // The same buffer for all connections, so that they can share what is written.
    this.#socket.send(size === bytes.length ? bytes : bytes.subarray(sent, end), { fin }, () => {
      this.#accepted(size, item.exempt ? 0 : size);
      if (fin) item.onSent?.();
    });
    return true;
  }

  #dequeue(): Sending | null {
    const item = this.#queue.shift();
    if (item === null) return null;
    if (!item.exempt) this.#countedAhead += item.bytes.length;
    return { item, bytes: item.bytes, sent: 0 };
  }

  #accepted(size: number, counted: number): void {
    this.#inFlight -= size;
    this.#countedAhead -= counted;
    if (this.#closed) return;
    if (this.waitingBytes < RESUME_BYTES) this.#catchUp();
    this.#noteRoom();
    if (this.#inFlight === 0 && this.#current === null && this.#queue.isEmpty) this.#declareSkipped();
    const isEmpty = this.#current === null && this.#queue.isEmpty;
    this.#reportAccepted(isEmpty);
    // Events that wait for their time go on waiting.
    if (!this.#waitsForSocket || this.#inFlight > WRITE_AHEAD_BYTES / 2) return;
    this.#waitsForSocket = false;
    if (!isEmpty) this.#schedule();
  }

  #noteRoom(): void {
    const hasRoom = this.#full && this.waitingBytes < ROOM_BYTES;
    const hasCaughtUp = this.#farBehind && this.waitingBytes < CAUGHT_UP_BYTES;
    if (hasRoom) this.#full = false;
    if (hasCaughtUp) this.#farBehind = false;
    if (hasRoom || hasCaughtUp) this.#observer.hasRoom?.();
  }

  #catchUp(): void {
    this.#keepsOutput = false;
    this.#behind = false;
  }

  /** Reports a gap by itself once everything was read and no output has followed it. Otherwise the next output reports it. */
  #declareSkipped(): void {
    for (const piece of this.#skipped.declare()) this.#enqueue(itemOf(piece.encoded, { process: piece.name }));
  }

  #reportAccepted(isEmpty: boolean): void {
    if (!this.#congested) return;
    this.#congested = !(isEmpty && this.#inFlight === 0);
    if (this.#congested) this.#observer.progress();
    else this.#observer.drained();
  }

  #reportCongested(): void {
    if (this.#congested || this.#inFlight === 0 || this.#socket.bufferedAmount === 0) return;
    this.#congested = true;
    this.#observer.congested();
  }
}

function itemOf(bytes: Buffer, rest: Partial<OutboxItem> = {}): OutboxItem {
  return { bytes, mergeKey: null, exempt: false, onSent: null, process: null, overtaken: 0, ...rest };
}
