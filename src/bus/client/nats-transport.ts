import type { ConnectionOptions, Transport } from "@nats-io/nats-core/internal";
import { resolvesWithin } from "../../base/timing/wait.ts";
import { busTurn } from "../broker/broker-turns.ts";
import type { ByteStream } from "../carriers/byte-stream.ts";

/** Opens the carrier of one connection attempt; aborts with the signal, when the attempt is cancelled. */
export type Dial = (signal: AbortSignal) => Promise<ByteStream>;

/** Options of the official client with those that this transport adds. */
export interface NatsTransportOptions extends ConnectionOptions {
  dial: Dial;
  /** Whether the carrier reports every end of the other side: then silence means nothing. */
  isLocal?: boolean;
  /** Called with the server's answer to the credentials: null, or why it refuses them. */
  onAnswer?(problem: string | null): void;
  /** Called with each transport created for this connection: it knows the number of unsent bytes. */
  onTransport(transport: NatsTransport): void;
  /** Called when the carrier has accepted everything after a backlog. */
  onDrained?(): void;
}

/** Maximum length of the INFO line, bytes. */
const MAX_INFO_BYTES = 32 * 1024;
/** Maximum amount of data after the greeting that is searched for the answer to the credentials, bytes. */
const MAX_ANSWER_BYTES = 4 * 1024;
/** Number of received and unparsed bytes beyond which the carrier is paused. */
const MAX_UNREAD_BYTES = 256 * 1024;
/** Maximum time that a regular close waits for unsent data, milliseconds. */
const CLOSE_TIMEOUT_MS = 1_000;
/** Interval of checks whether the other side is heard, milliseconds. The library sends pings at this interval, too. */
export const PING_MS = 2_000;
/** Number of checks without a sign of life in a row after which the connection is lost. */
const MAX_SILENT_CHECKS = 3;
const LF = 10;
const LINE_END = Buffer.from("\r\n");

/**
 * The only transport of the NATS client in this program: the library has one global factory for all connections, and
 * the carrier is chosen per connection by its `dial` option (docs/design/runtime-invariants.md, "Bus").
 */
export class NatsTransport implements Transport {
  readonly lang = "nats.js";
  readonly version = "3.4.0";
  closeError?: Error;
  readonly #abort = new AbortController();
  #notifyClosed: (error: undefined | Error) => void = () => {};
  readonly #closed = new Promise<undefined | Error>((resolve) => {
    this.#notifyClosed = resolve;
  });
  #stream: ByteStream | null = null;
  /** Frames sent in this turn and not written yet. */
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #received: Uint8Array[] = [];
  #receivedBytes = 0;
  #paused = false;
  /** Whether INFO was received: from then on the end of the stream is the end of a connection, not a failed attempt. */
  #greeted = false;
  /** Data received after the greeting, until it shows whether the credentials were accepted. */
  #answer: string | null = "";
  #reportAnswer: (problem: string | null) => void = () => {};
  #isDone = false;
  #wake: (() => void) | null = null;
  /** Whether bytes were received or processed since the last check. The library counts only PONGs, which wait behind a backlog of messages. */
  #isHeard = false;
  #silentChecks = 0;
  #checks: ReturnType<typeof setInterval> | undefined;

  get isClosed(): boolean {
    return this.#isDone;
  }

  /** Number of sent bytes that the carrier has not accepted. */
  get unsent(): number {
    return this.#pendingBytes + (this.#stream?.unsent ?? 0);
  }

  async connect(_server: unknown, options: ConnectionOptions): Promise<void> {
    const { dial, onTransport, onAnswer, isLocal = false, onDrained = () => {} } = options as NatsTransportOptions;
    if (onAnswer) this.#reportAnswer = onAnswer;
    const stream = await dial(this.#abort.signal);
    if (this.#isDone) {
      stream.destroy();
      throw new Error("the connection attempt was cancelled");
    }
    this.#stream = stream;
    await this.#awaitGreeting(stream, onDrained);
    if (!isLocal && !this.#isDone) this.#checks = setInterval(() => this.#check(), PING_MS);
    onTransport(this);
  }

  async *[Symbol.asyncIterator](): AsyncIterableIterator<Uint8Array> {
    try {
      for (;;) {
        const chunk = this.#received.shift();
        if (chunk) {
          // The parser processes a chunk within this turn: a flood must let the rest of the program run, too.
          if (busTurn.isOver()) await new Promise<void>((resolve) => busTurn.inNextTurn(resolve));
          this.#receivedBytes -= chunk.length;
          this.#isHeard = true;
          yield chunk;
          this.#resume();
        } else if (this.#isDone) return;
        else
          await new Promise<void>((resolve) => {
            this.#wake = resolve;
          });
      }
    } finally {
      // The reader has failed or finished. Without it, the connection must not appear to be alive.
      this.disconnect();
    }
  }

  isEncrypted(): boolean {
    return false;
  }

  /** Frames of one turn are one write: each costs a system call here and wakes the other side. */
  send(frame: Uint8Array): void {
    this.#pending.push(frame);
    this.#pendingBytes += frame.length;
    // Not a microtask: pending ones may publish more.
    if (this.#pending.length === 1) process.nextTick(() => this.#write([]));
  }

  /**
   * Sends a message directly, bypassing the library, between two of its writes, which are whole commands. The pieces must not be modified
   * afterwards.
   */
  publish(subject: string, pieces: readonly Uint8Array[]): void {
    const size = pieces.reduce((sum, { length }) => sum + length, 0);
    const line = Buffer.from(`PUB ${subject} ${size}\r\n`);
    this.#write([line, ...pieces, LINE_END]);
  }

  /** Writes the frames sent before, then `more`. */
  #write(more: readonly Uint8Array[]): void {
    const chunks = [...this.#pending, ...more];
    this.#pending = [];
    this.#pendingBytes = 0;
    if (chunks.length > 0) this.#stream?.write(chunks);
  }

  async close(error?: Error): Promise<void> {
    if (error) this.closeError = error;
    if (this.#isDone || !this.#greeted || error) {
      this.disconnect();
      return;
    }
    this.#write([]);
    this.#stream?.end();
    if (await resolvesWithin(this.#closed, CLOSE_TIMEOUT_MS)) return;
    this.disconnect();
    await this.#closed;
  }

  closed(): Promise<undefined | Error> {
    return this.#closed;
  }

  disconnect(): void {
    this.#abort.abort();
    this.#stream?.destroy();
    if (!this.#stream) this.#finish(null);
  }

  discard(): void {
    this.disconnect();
  }

  #awaitGreeting(stream: ByteStream, drained: () => void): Promise<void> {
    return new Promise((resolve, reject) => {
      stream.open({
        data: (bytes) => {
          this.#receive(bytes);
          if (this.#greeted) {
            if (this.#answer !== null) this.#readAnswer(bytes);
            return;
          }
          const problem = this.#greetingProblem(bytes);
          if (problem === "incomplete") return;
          if (problem) {
            reject(new Error(problem));
            stream.destroy();
          } else {
            this.#greeted = true;
            resolve();
          }
        },
        drained,
        closed: (error) => {
          reject(error ?? new Error("the broker closed the connection without a greeting"));
          this.#finish(error);
        },
      });
    });
  }

  /** Searches for the answer to the credentials: the library does not report why a server refuses it, and keeps retrying. */
  #readAnswer(bytes: Uint8Array): void {
    this.#answer += Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1", 0, MAX_ANSWER_BYTES);
    const [found, problem] = /^PONG\r|^-ERR '(.*)'/m.exec(this.#answer ?? "") ?? [];
    if (found === undefined && (this.#answer?.length ?? 0) < MAX_ANSWER_BYTES) return;
    this.#answer = null;
    this.#reportAnswer(problem ?? null);
  }

  #greetingProblem(latest: Uint8Array): string | null {
    if (this.#receivedBytes > MAX_INFO_BYTES) return "the other side does not speak the NATS protocol: its first line has no end";
    if (!latest.includes(LF)) return "incomplete";
    const start = Buffer.concat(this.#received).toString("latin1", 0, 5);
    return /^INFO\s$/i.test(start) ? null : `the other side does not speak the NATS protocol: it began with ${JSON.stringify(start)}`;
  }

  #check(): void {
    this.#silentChecks = this.#isHeard ? 0 : this.#silentChecks + 1;
    this.#isHeard = false;
    if (this.#silentChecks >= MAX_SILENT_CHECKS) this.disconnect();
  }

  #receive(bytes: Uint8Array): void {
    if (this.#isDone) return;
    this.#isHeard = true;
    this.#received.push(bytes);
    this.#receivedBytes += bytes.length;
    if (this.#receivedBytes > MAX_UNREAD_BYTES && !this.#paused) {
      this.#paused = true;
      this.#stream?.pause();
    }
    this.#wakeReader();
  }

  #resume(): void {
    if (!this.#paused || this.#receivedBytes > MAX_UNREAD_BYTES / 2) return;
    this.#paused = false;
    this.#stream?.resume();
  }

  #wakeReader(): void {
    const wake = this.#wake;
    this.#wake = null;
    wake?.();
  }

  #finish(error: Error | null): void {
    if (this.#isDone) return;
    this.#isDone = true;
    clearInterval(this.#checks);
    if (error) this.closeError = error;
    // A failed attempt was already reported to `connect`; the library would treat a second report as a lost connection.
    if (this.#greeted) this.#notifyClosed(this.closeError);
    this.#wakeReader();
  }
}
