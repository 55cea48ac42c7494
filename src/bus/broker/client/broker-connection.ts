import type { ByteStream } from "../../carriers/byte-stream.ts";
import type { BorrowedMessage } from "../borrowed-message.ts";
import { CRLF, ERROR_TEXTS, ProtocolViolation } from "../broker-protocol.ts";
import type { Subscriber, SubscriberConnection } from "../broker-subscriber.ts";
import type { Budget, Worker } from "../broker-turns.ts";
import { connectionToHand, type HandedConnection } from "../handover/handed-connection.ts";
import { type HandedFlow, refillQueue } from "../handover/handed-queue.ts";
import { ConnectionInput } from "../input/connection-input.ts";
import type { InputFlow } from "../input/input-flow.ts";
import { Liveness } from "../input/liveness.ts";
import type { BrokerOperations } from "../parser/broker-operations.ts";
import { ChargedMemory, FREE_BYTES } from "../queues/charged-memory.ts";
import { DeferredAnswers } from "../queues/deferred-answers.ts";
import { FairQueue, type Waiting } from "../queues/fair-queue.ts";
import { KernelPace } from "../queues/kernel-pace.ts";
import type { MemoryHolder } from "../queues/memory-budget.ts";
import { SendWindow } from "../queues/send-window.ts";
import { WaitingPublishers } from "../queues/waiting-publishers.ts";
import { BrokerOutput } from "./broker-output.ts";
import type { ConnectionEnvironment } from "./connection-environment.ts";

/** Maximum number of bytes, received or to be sent, with which a client goes before others. */
const LIGHT_BYTES = 16 * 1024;
/** Maximum number of bytes that one client is sent before the next client's turn. */
const MAX_TURN_BYTES = 256 * 1024;
/** Maximum number of bytes that replies (PONG, +OK, -ERR) may add to a full queue before the client is closed. */
const ANSWER_RESERVE_BYTES = 64 * 1024;
/** Time for a refused client to read the reason, milliseconds. */
const FAREWELL_MS = 1_000;

/** The bytes of one client: received and not yet processed, and not yet read by the client. */
export class BrokerConnection implements Worker, MemoryHolder, SubscriberConnection {
  readonly #environment: ConnectionEnvironment;
  readonly #stream: ByteStream;
  readonly #input: ConnectionInput;
  /** Output that is sent next, in order. */
  readonly #output = new BrokerOutput();
  /** Messages that wait behind the output, in fair turns. */
  readonly #queue: FairQueue;
  readonly #window: SendWindow;
  readonly #pace: KernelPace;
  /** "ended": the other side has disconnected, but its earlier input is still processed. */
  #state: "open" | "ended" | "closing" | "closed" = "open";
  #farewell: ReturnType<typeof setTimeout> | null = null;
  /** Publishers that wait for this client. */
  readonly #publishers: WaitingPublishers;
  readonly #deferred = new DeferredAnswers();
  /** Callbacks of `onRoom`. */
  #roomCallbacks: (() => void)[] = [];
  #gone: (() => void)[] = [];
  readonly #liveness = new Liveness();
  /** Number of bytes that were given to the stream so far. */
  #written = 0;
  readonly #charged: ChargedMemory;

  constructor(stream: ByteStream, operations: BrokerOperations, environment: ConnectionEnvironment) {
    const { limits, turns, memory } = environment;
    this.#stream = stream;
    this.#environment = environment;
    this.#input = new ConnectionInput(stream, operations, { limits, turns, ready: () => turns.add(this) });
    this.#charged = new ChargedMemory(memory);
    this.#window = new SendWindow(limits.maxPending / 2);
    this.#queue = new FairQueue({
      policyOf: environment.policyOf,
      sent: ({ publisher, subject }, { msgs, payload }) => {
        this.#deferred.departed(msgs);
        environment.sent(publisher, subject, msgs, payload);
      },
      dropped: (flow, msgs, payload) => {
        this.#deferred.departed(msgs);
        environment.dropped(flow, msgs, payload);
      },
      grown: (bytes) => memory.grow(bytes),
    });
    this.#pace = new KernelPace(stream.held, () => turns.flushNow(this));
    this.#publishers = new WaitingPublishers(this.#queue, limits, () => this.#window.stalled());
    memory.add(this);
  }

  /** Decides whether the client is read. */
  get reading(): InputFlow {
    return this.#input.flow;
  }

  /** Number of bytes that the client has not read yet. */
  get pending(): number {
    return this.#output.bytes + this.#queue.bytes + this.#stream.unsent;
  }

  /** Number of bytes that the other side or the kernel has accepted so far. */
  get accepted(): number {
    return this.#written - this.#stream.unsent;
  }

  /** Whether the queue is full: a further message would replace an older one. */
  get isFull(): boolean {
    return this.#queue.bytes > this.#environment.limits.maxPending;
  }

  get isHeavy(): boolean {
    return this.#input.bytes + this.#output.bytes + this.#queue.bytes > LIGHT_BYTES;
  }

  /** Whether messages wait in the queue. */
  get isQueueing(): boolean {
    return this.#queue.count > 0;
  }

  get owner(): string {
    return this.#environment.owner();
  }

  get bytes(): number {
    return this.#queue.bytes + this.#charged.bytes;
  }

  /** Drops a queued message, or the connection if it holds much other memory. */
  free(): boolean {
    if (this.#queue.evict(0)) return true;
    // Received bytes that wait for their turn are few, and are processed soon.
    if (this.#charged.bytes <= this.#input.bytes + FREE_BYTES || this.#state !== "open") return false;
    this.fail(ERROR_TEXTS.slow);
    return true;
  }

  /** Whether another message would be sent at once. */
  get hasRoom(): boolean {
    return this.#queue.count === 0 && this.#output.bytes < Math.min(this.#window.room, this.#pace.room);
  }

  /** Calls back once when there is room; never if the connection ends before. */
  onRoom(next: () => void): void {
    if (this.#state === "open") this.#roomCallbacks.push(next);
  }

  /** Queued messages by subject. */
  waiting(): Map<string, Waiting> {
    return this.#queue.waiting();
  }

  /** Number of queued bytes of one topic. */
  queued(publisher: Subscriber, subject: string): number {
    return this.#queue.bytesOf(publisher, subject);
  }

  /** The server speaks first: sends `greeting`, then serves the client. */
  open(greeting: string): void {
    this.#output.text(greeting);
    this.flush();
    this.#stream.open({
      data: (bytes) => this.#receive(bytes),
      drained: () => {
        this.#window.drained();
        this.#environment.turns.flushNow(this);
      },
      closed: () => this.#closed(),
    });
    if (this.#input.isReady) this.#environment.turns.add(this);
  }

  /** Whether all that was received is processed, up to an operation that is not complete. */
  get isProcessed(): boolean {
    return this.#input.isEmpty && !this.#input.isHeld;
  }

  /** Descriptor of the connection for another broker that continues it; -1: that is not possible. */
  get descriptor(): number {
    const { handOver } = this.#stream;
    return this.#state === "open" && handOver !== undefined ? handOver.descriptor() : -1;
  }

  /** Called when the connection is halted; it stays as it is. */
  handOver(): HandedConnection {
    const parts = { stream: this.#stream, input: this.#input, output: this.#output };
    return connectionToHand({ ...parts, queue: this.#queue, deferred: this.#deferred });
  }

  /** Continues a connection of an earlier broker. Called before `open`, which then gets no greeting. */
  adopt({ state, input, output, queue }: HandedConnection, publisherOf: (flow: HandedFlow) => Subscriber): void {
    if (output.length > 0) this.#output.blocks([Buffer.from(output)]);
    refillQueue(this.#queue, state.flows, queue, publisherOf);
    for (const { after, text } of state.answers) this.#deferred.add(text, after);
    if (input.length > 0) this.#input.add(input);
  }

  /**
   * Sends a message from another client with `payload` bytes. `flow` names the messages that stay in order; messages of different flows may
   * overtake each other while the client reads slowly.
   */
  message(header: string | Buffer, message: BorrowedMessage, payload: number, publisher: Subscriber, flow: string): void {
    if (this.#state !== "open") return;
    const { turns, limits, sent } = this.#environment;
    turns.deliveries++;
    if (this.hasRoom) {
      if (typeof header === "string") this.#output.text(header);
      else this.#output.bytesOf(header);
      this.#output.message(message);
      sent(publisher, flow, 1, payload);
      if (this.#output.bytes < this.#window.bytes) turns.flushSoon(this);
      else turns.flushNow(this);
      return;
    }
    this.#queue.add({ publisher, subject: flow }, header, message, payload);
    // The newest message may exceed the limit, so that one of any size is accepted.
    while (this.#queue.bytes - message.length > limits.maxPending && this.#queue.evict(1));
    if (this.#window.isFast) this.#publishers.queued(publisher);
    turns.flushSoon(this);
  }

  /** Reads no input until the returned function is called; `expired` is called if that takes longer than `maxMs`. */
  press(maxMs: number, expired: () => void): () => void {
    return this.#input.holdFor(maxMs, expired);
  }

  /** Sends an answer to the client's own operation. */
  answer(text: string): void {
    if (this.#state !== "open") return;
    const { maxPending, maxPayload } = this.#environment.limits;
    // The queue accepts a whole message as long as it is not full.
    if (this.pending > maxPending + maxPayload + ANSWER_RESERVE_BYTES) {
      this.fail(ERROR_TEXTS.slow);
      return;
    }
    this.#output.text(text);
    this.#environment.turns.flushSoon(this);
  }

  /** Sends an answer behind the messages that wait now: the client may conclude from it that it has received all of them. */
  answerInTurn(text: string): void {
    if (this.#queue.count === 0) this.answer(text);
    else if (!this.#deferred.add(text, this.#queue.count)) this.fail(ERROR_TEXTS.slow);
  }

  /** Sends the reason, then closes this client only. */
  fail(text: string): void {
    if (this.#state === "open") this.#drainAndClose(`-ERR '${text}'${CRLF}`);
  }

  /** Sends waiting output, and `text` behind it. */
  #drainAndClose(text: string): void {
    const blocks = this.#output.take();
    this.#queue.take(Number.POSITIVE_INFINITY, blocks);
    this.#stream.write([...blocks, Buffer.from(text, "latin1")]);
    this.#state = "closing";
    this.#release();
    // Further input is read and discarded: closing with unread bytes would reset the connection before the text is read.
    this.#input.discard();
    this.#environment.turns.remove(this);
    this.#charge();
    this.reading.resume();
    this.#environment.failed();
    this.#stream.end();
    this.#farewell = setTimeout(() => this.#stream.destroy(), FAREWELL_MS);
  }

  /** Publishers no longer wait for this client. */
  #release(): void {
    this.#roomCallbacks = [];
    this.#publishers.close();
  }

  destroy(): void {
    this.#stream.destroy();
  }

  /** Stops reading until `decision` is made; a rejection ends the connection. */
  hold(decision: Promise<void>): void {
    this.#input.holdUntil(decision, (error) => this.#refuse(error));
  }

  /** Sends waiting output, then closes; resolves when the other side is gone or FAREWELL_MS are over. */
  end(): Promise<void> {
    if (this.#state === "closed") return Promise.resolve();
    const gone = new Promise<void>((resolve) => this.#gone.push(resolve));
    if (this.#state === "open") this.#drainAndClose("");
    return gone;
  }

  /** Called once per ping interval: pings a client that was silent for one, and disconnects a client that does not answer. */
  tick(): void {
    if (this.#state !== "open") return;
    const verdict = this.#liveness.tick(this.#environment.limits.maxPingsOut);
    if (verdict === "stale") this.fail(ERROR_TEXTS.stale);
    else if (verdict === "ping") this.answer(`PING${CRLF}`);
  }

  work(budget: Budget): boolean {
    try {
      const isDone = this.#input.process(budget);
      this.#charge();
      if (isDone && this.#state === "ended" && !this.#input.isHeld) this.#finish();
      return isDone;
    } catch (error) {
      this.#refuse(error);
      return true;
    }
  }

  flush(): void {
    let written = 0;
    while (this.#state === "open" && written < MAX_TURN_BYTES) {
      // If the stream has unsent bytes, its `drained` follows.
      this.#window.update(this.#stream.unsent);
      const room = Math.min(this.#window.room, this.#pace.room);
      const blocks = room <= 0 ? [] : this.#next(room);
      if (blocks.length === 0) break;
      const size = blocks.reduce((sum, { length }) => sum + length, 0);
      this.#stream.write(blocks);
      this.#window.wrote(size, this.#stream.unsent);
      this.#pace.wrote(size);
      written += size;
      this.#written += size;
    }
    if (written >= MAX_TURN_BYTES) this.#environment.turns.flushSoon(this);
    this.#publishers.relieve();
    if (this.#roomCallbacks.length > 0 && this.hasRoom) for (const next of this.#roomCallbacks.splice(0)) next();
    this.#charge();
  }

  #next(room: number): Buffer[] {
    if (this.#output.bytes === 0) {
      const blocks: Buffer[] = [];
      if (this.#queue.count > 0) this.#queue.take(room, blocks);
      this.#deferred.take(blocks);
      if (!this.#pace.isOn) return blocks;
      this.#output.blocks(blocks);
    }
    return this.#pace.isOn ? this.#output.takeExactly(room) : this.#output.take(room);
  }

  /** Reports the memory beside the queue. */
  #charge(): void {
    const held = this.#output.bytes + this.#stream.unsent + this.#input.heldBytes;
    this.#charged.report(this.#state === "open" ? held : 0);
  }

  #refuse(error: unknown): void {
    if (!(error instanceof ProtocolViolation)) this.#environment.defect(error);
    if (this.#state === "ended") this.#finish();
    this.fail(error instanceof ProtocolViolation ? error.message : ERROR_TEXTS.internal);
  }

  #receive(bytes: Uint8Array): void {
    this.#liveness.heard();
    if (this.#state !== "open" || bytes.length === 0) return;
    this.#input.add(bytes);
    this.#environment.turns.add(this);
    this.reading.received(this.#input.bytes);
  }

  #closed(): void {
    if (this.#state === "open" && !this.#input.isEmpty) this.#state = "ended";
    else this.#finish();
  }

  #finish(): void {
    if (this.#state === "closed") return;
    this.#state = "closed";
    this.#input.close();
    this.#environment.turns.remove(this);
    this.#output.take();
    if (this.#farewell) clearTimeout(this.#farewell);
    this.#pace.close();
    this.#release();
    this.#charge();
    this.#environment.closed();
    this.#queue.clear();
    this.#environment.memory.remove(this);
    for (const resolve of this.#gone.splice(0)) resolve();
  }
}
