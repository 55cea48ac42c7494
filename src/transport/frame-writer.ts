import type { Socket } from "node:net";
import type { WebSocket } from "ws";
import type { EventBatch } from "./event-batch.ts";
import type { OutboxSocket } from "./outbox.ts";

/** Parts up to this many bytes are copied into one buffer; for longer ones a write of several buffers costs less. */
const MAX_JOINED_BYTES = 16 * 1024;
/** Longest frames whose length is in the first two bytes of the header, and in two more; for others it is in eight more. */
const MAX_SHORT_BYTES = 125;
const MAX_MEDIUM_BYTES = 0xffff;
const TEXT = 0x01;
const CONTINUATION = 0x00;
const FIN = 0x80;

/** The connection under a WebSocket. */
export type FrameStream = Pick<Socket, "write" | "cork" | "uncork">;

/** A frame of the WebSocket protocol (RFC 6455, 5.2): a text message, or a fragment of one. */
interface WireFrame {
  readonly bytes: Buffer;
  /** Whether it ends its message. */
  readonly fin: boolean;
  /** Whether an earlier fragment began the message. */
  readonly continues: boolean;
}

/** Frames as one buffer. Connections with the same events send the same frames one after the other, and share it. */
export class JoinedFrames {
  #frames: readonly WireFrame[] = [];
  #joined = Buffer.alloc(0);
  #batch: EventBatch | null = null;
  #joinedBatch = Buffer.alloc(0);

  /** A batch is the same object for all connections that are sent it. */
  ofBatch(batch: EventBatch): Buffer {
    if (batch !== this.#batch) {
      this.#joinedBatch = join(batch.frames.map(({ bytes }) => ({ bytes, fin: true, continues: false })));
      this.#batch = batch;
    }
    return this.#joinedBatch;
  }

  of(frames: readonly WireFrame[]): Buffer {
    if (!areSame(frames, this.#frames)) {
      this.#joined = join(frames);
      this.#frames = frames;
    }
    return this.#joined;
  }
}

interface FrameWriterOptions {
  readonly stream: FrameStream;
  /** Shared by the connections of a server. */
  readonly joined: JoinedFrames;
  /** Counts messages. */
  readonly counters: { sent: number };
}

/**
 * Writes text messages of a server to a WebSocket. The WebSocket itself makes a header for each receiver, and writes it beside the message: for eight
 * events that go to many in one write, that is a quarter of the processor time (docs/decisions/0128-events-of-many-pages.md).
 */
export class FrameWriter implements OutboxSocket {
  readonly #ws: WebSocket;
  readonly #stream: FrameStream;
  readonly #joined: JoinedFrames;
  readonly #counters: { sent: number };
  #frames: WireFrame[] = [];
  #size = 0;
  #continues = false;
  #done: ((error?: Error | null) => void)[] = [];

  constructor(ws: WebSocket, { stream, joined, counters }: FrameWriterOptions) {
    this.#ws = ws;
    this.#stream = stream;
    this.#joined = joined;
    this.#counters = counters;
  }

  get bufferedAmount(): number {
    return this.#ws.bufferedAmount;
  }

  send(bytes: Buffer, { fin }: { fin: boolean }, done: (error?: Error | null) => void): void {
    this.#frames.push({ bytes, fin, continues: this.#continues });
    this.#continues = !fin;
    if (fin) this.#counters.sent++;
    this.#size += bytes.length;
    this.#done.push(done);
  }

  sendBatch(batch: EventBatch, done: (error?: Error | null) => void): void {
    this.#counters.sent += batch.frames.length;
    if (this.#ws.readyState !== this.#ws.OPEN) process.nextTick(done);
    else this.#stream.write(this.#joined.ofBatch(batch), done);
  }

  cork(): void {}

  uncork(): void {
    const [frames, size, callbacks] = [this.#frames, this.#size, this.#done];
    if (frames.length === 0) return;
    [this.#frames, this.#size, this.#done] = [[], 0, []];
    const done = (error?: Error | null) => {
      for (const callback of callbacks) callback(error);
    };
    // A closing WebSocket has sent its last frame.
    if (this.#ws.readyState !== this.#ws.OPEN) process.nextTick(done);
    else if (size <= MAX_JOINED_BYTES) this.#stream.write(this.#joined.of(frames), done);
    else this.#writeParts(frames, done);
  }

  #writeParts(frames: readonly WireFrame[], done: (error?: Error | null) => void): void {
    this.#stream.cork();
    for (const [index, frame] of frames.entries()) {
      this.#stream.write(headerOf(frame));
      this.#stream.write(frame.bytes, index === frames.length - 1 ? done : undefined);
    }
    this.#stream.uncork();
  }
}

function join(frames: readonly WireFrame[]): Buffer<ArrayBuffer> {
  return Buffer.concat(frames.flatMap((frame) => [headerOf(frame), frame.bytes]));
}

function areSame(some: readonly WireFrame[], others: readonly WireFrame[]): boolean {
  if (some.length !== others.length) return false;
  return some.every((frame, index) => {
    const other = others[index];
    return frame.bytes === other?.bytes && frame.fin === other.fin && frame.continues === other.continues;
  });
}

function headerOf({ bytes: { length }, fin, continues }: WireFrame): Buffer {
  const first = (fin ? FIN : 0) | (continues ? CONTINUATION : TEXT);
  if (length <= MAX_SHORT_BYTES) return Buffer.from([first, length]);
  if (length <= MAX_MEDIUM_BYTES) return Buffer.from([first, 126, length >> 8, length & 0xff]);
  const header = Buffer.alloc(10);
  header[0] = first;
  header[1] = 127;
  header.writeUIntBE(length, 4, 6);
  return header;
}
