import type { ByteStream } from "../carriers/byte-stream.ts";
import type { BorrowedMessage } from "./borrowed-message.ts";
import { BrokerOutput } from "./broker-output.ts";
import { type BrokerLimits, CRLF, ERROR_TEXTS, ProtocolViolation } from "./broker-protocol.ts";
import type { BrokerTurns, Budget, Worker } from "./broker-turns.ts";
import type { BrokerOperations } from "./parser/broker-operations.ts";
import { BrokerParser } from "./parser/broker-parser.ts";

/** Operations of one client before the next client's turn. */
const OPERATIONS_PER_TURN = 256;
/** Unprocessed received bytes above which the client is not read any further. */
const MAX_UNREAD = 256 * 1024;
/** Maximum of unsent bytes in the stream. Further output waits here, where small messages are joined. */
const MAX_WRITTEN = 256 * 1024;
/** Bytes that replies (PONG, +OK, -ERR) may add to a full queue before the client is closed. */
const ANSWER_RESERVE = 64 * 1024;
/** Time for a refused client to read the reason, milliseconds. */
const FAREWELL_MS = 1_000;

interface Environment {
  readonly limits: BrokerLimits;
  readonly turns: BrokerTurns;
  /** Deliveries of the whole broker so far: measures the cost of an operation. */
  deliveries(): number;
  /** The client is being refused: deliver nothing more to it. */
  failed(): void;
  /** An operation threw an error other than a protocol violation. */
  defect(error: unknown): void;
  /** Called once, at the end. */
  closed(): void;
}

/** The bytes of one client: received and not yet processed, and not yet read by the client. */
export class BrokerConnection implements Worker {
  readonly #environment: Environment;
  readonly #stream: ByteStream;
  readonly #parser: BrokerParser;
  readonly #output = new BrokerOutput();
  #input: Buffer[] = [];
  #inputBytes = 0;
  /** Read position in the first chunk of `#input`. */
  #position = 0;
  #paused = false;
  /** "ended": the other side has disconnected, but what it sent before is still processed. */
  #state: "open" | "ended" | "closing" | "closed" = "open";
  #farewell: ReturnType<typeof setTimeout> | null = null;
  /** Input waits until a decision is made (`hold`). */
  #isHeld = false;
  #gone: (() => void)[] = [];
  #heard = true;
  #pingsOut = 0;

  constructor(stream: ByteStream, operations: BrokerOperations, environment: Environment) {
    this.#stream = stream;
    this.#environment = environment;
    this.#parser = new BrokerParser(operations, environment.limits);
  }

  /** Bytes that the client has not read yet. */
  get pending(): number {
    return this.#output.bytes + this.#stream.unsent;
  }

  /** The server speaks first: sends `greeting`, then serves the client. */
  open(greeting: string): void {
    this.#output.text(greeting);
    this.flush();
    this.#stream.open({
      data: (bytes) => this.#receive(bytes),
      drained: () => this.#environment.turns.flushNow(this),
      closed: () => this.#closed(),
    });
  }

  /** A message from another client. The caller has checked `pending`. */
  message(header: string | Buffer, message: BorrowedMessage): void {
    if (this.#state !== "open") return;
    if (typeof header === "string") this.#output.text(header);
    else this.#output.bytesOf(header);
    this.#output.message(message);
    this.#environment.turns.flushSoon(this);
  }

  /** An answer to the client's own operation. */
  answer(text: string): void {
    if (this.#state !== "open") return;
    const { maxPending, maxPayload } = this.#environment.limits;
    // The queue takes a whole message as long as it is not full.
    if (this.pending > maxPending + maxPayload + ANSWER_RESERVE) {
      this.fail(ERROR_TEXTS.slow);
      return;
    }
    this.#output.text(text);
    this.#environment.turns.flushSoon(this);
  }

  /** Sends the reason, then closes this client only. */
  fail(text: string): void {
    if (this.#state !== "open") return;
    this.#output.text(`-ERR '${text}'${CRLF}`);
    this.#leave();
  }

  #leave(): void {
    this.#stream.write(this.#output.take());
    this.#state = "closing";
    // Further input is read and discarded: closing with unread bytes would reset the connection before the text is read.
    this.#discardInput();
    this.#resume();
    this.#environment.failed();
    this.#stream.end();
    this.#farewell = setTimeout(() => this.#stream.destroy(), FAREWELL_MS);
  }

  destroy(): void {
    this.#stream.destroy();
  }

  /** Stops reading until `decision` is made; a rejection ends the connection. */
  hold(decision: Promise<void>): void {
    this.#isHeld = true;
    const goOn = () => {
      this.#isHeld = false;
      if (this.#isReading && this.#input.length > 0) this.#environment.turns.add(this);
    };
    // Nothing more is read of a client that is refused: the reason is all that it is sent.
    decision.then(goOn, (error: unknown) => this.#refuse(error));
  }

  /** Sends what waits, then closes; resolves when the other side is gone or FAREWELL_MS are over. */
  end(): Promise<void> {
    if (this.#state === "closed") return Promise.resolve();
    const gone = new Promise<void>((resolve) => this.#gone.push(resolve));
    if (this.#state === "open") this.#leave();
    return gone;
  }

  /** Called once per ping interval: pings a client that was silent for one, and disconnects a client that does not answer. */
  tick(): void {
    if (this.#state !== "open") return;
    const isSilent = !this.#heard;
    this.#heard = false;
    if (!isSilent) this.#pingsOut = 0;
    else if (this.#pingsOut >= this.#environment.limits.maxPingsOut) this.fail(ERROR_TEXTS.stale);
    else {
      this.#pingsOut++;
      this.answer(`PING${CRLF}`);
    }
  }

  work(budget: Budget): boolean {
    try {
      const isDone = this.#operate(budget);
      if (isDone && this.#state === "ended" && !this.#isHeld) this.#finish();
      return isDone;
    } catch (error) {
      this.#refuse(error);
      return true;
    }
  }

  flush(): void {
    if (this.#output.bytes === 0 || this.#state !== "open" || this.#stream.unsent > MAX_WRITTEN) return;
    this.#stream.write(this.#output.take(MAX_WRITTEN));
    // If the stream has unsent bytes, its `drained` follows.
    if (this.#output.bytes > 0 && this.#stream.unsent <= MAX_WRITTEN) this.#environment.turns.flushSoon(this);
  }

  /** True when all input was processed. */
  #operate(budget: Budget): boolean {
    let left = OPERATIONS_PER_TURN;
    for (let chunk = this.#input[0]; chunk && this.#isReading; chunk = this.#input[0]) {
      while (this.#position < chunk.length && this.#isReading) {
        const before = this.#environment.deliveries();
        this.#position = this.#parser.step(chunk, this.#position);
        if (budget.spend(1 + this.#environment.deliveries() - before) || --left === 0) return this.#consume(chunk);
      }
      this.#consume(chunk);
    }
    return true;
  }

  get #isReading(): boolean {
    return (this.#state === "open" || this.#state === "ended") && !this.#isHeld;
  }

  #refuse(error: unknown): void {
    if (!(error instanceof ProtocolViolation)) this.#environment.defect(error);
    if (this.#state === "ended") this.#finish();
    this.fail(error instanceof ProtocolViolation ? error.message : ERROR_TEXTS.internal);
  }

  #receive(bytes: Uint8Array): void {
    this.#heard = true;
    if (this.#state !== "open" || bytes.length === 0) return;
    this.#input.push(Buffer.isBuffer(bytes) ? bytes : Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length));
    this.#inputBytes += bytes.length;
    this.#environment.turns.add(this);
    if (this.#inputBytes > MAX_UNREAD && !this.#paused) {
      this.#paused = true;
      this.#stream.pause();
    }
  }

  /** Drops the first chunk if it was read completely; true when no other waits. */
  #consume(chunk: Buffer): boolean {
    if (!this.#isReading) return true;
    if (this.#position < chunk.length) return false;
    this.#input.shift();
    this.#inputBytes -= chunk.length;
    this.#position = 0;
    if (this.#inputBytes < MAX_UNREAD / 2) this.#resume();
    return this.#input.length === 0;
  }

  #resume(): void {
    if (!this.#paused) return;
    this.#paused = false;
    this.#stream.resume();
  }

  #discardInput(): void {
    this.#input = [];
    this.#inputBytes = 0;
    this.#position = 0;
    this.#environment.turns.remove(this);
  }

  #closed(): void {
    if (this.#state === "open" && this.#input.length > 0) this.#state = "ended";
    else this.#finish();
  }

  #finish(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#discardInput();
    this.#output.take();
    if (this.#farewell) clearTimeout(this.#farewell);
    this.#environment.closed();
    for (const resolve of this.#gone.splice(0)) resolve();
  }
}
