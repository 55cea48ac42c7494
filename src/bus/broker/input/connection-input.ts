import type { ByteStream } from "../../carriers/byte-stream.ts";
import type { BrokerTurns, Budget } from "../broker-turns.ts";
import type { BrokerOperations } from "../parser/broker-operations.ts";
import { BrokerParser, type ParserLimits } from "../parser/broker-parser.ts";
import { InputFlow } from "./input-flow.ts";
import { InputHold } from "./input-hold.ts";
import { ReceivedBytes } from "./received-bytes.ts";

/** Maximum number of operations of one client before the next client's turn. */
const MAX_OPERATIONS_PER_TURN = 256;
/** An operation with this many bytes costs about as much as one more delivery. */
const BYTES_PER_UNIT = 512;

export interface ConnectionInputOptions {
  readonly limits: ParserLimits;
  readonly turns: Pick<BrokerTurns, "deliveries">;
  /** Called when input that waits may be processed again. */
  readonly ready: () => void;
}

/** The bytes that one client sends: received, held back while the client has to wait, and parsed into operations turn by turn. */
export class ConnectionInput {
  readonly flow: InputFlow;
  readonly #parser: BrokerParser;
  readonly #received = new ReceivedBytes();
  readonly #hold: InputHold;
  readonly #turns: Pick<BrokerTurns, "deliveries">;
  /** Whether input is discarded: the connection is being closed. */
  #isDiscarded = false;

  constructor(stream: ByteStream, operations: BrokerOperations, { limits, turns, ready }: ConnectionInputOptions) {
    this.flow = new InputFlow(stream);
    this.#parser = new BrokerParser(operations, limits);
    this.#turns = turns;
    this.#hold = new InputHold(() => {
      if (this.isReady) ready();
    });
  }

  /** Number of received bytes that wait to be processed. */
  get bytes(): number {
    return this.#received.bytes;
  }

  /** As `bytes`, with those of an operation whose end has not arrived yet. */
  get heldBytes(): number {
    return this.#received.bytes + this.#parser.heldBytes;
  }

  /** Whether nothing waits to be processed. */
  get isEmpty(): boolean {
    return this.#received.first === undefined;
  }

  get isHeld(): boolean {
    return this.#hold.isOn;
  }

  /** Whether something waits that may be processed now. */
  get isReady(): boolean {
    return this.#isProcessing && !this.isEmpty;
  }

  get #isProcessing(): boolean {
    return !this.#isDiscarded && !this.#hold.isOn;
  }

  add(bytes: Uint8Array): void {
    this.#received.add(bytes);
  }

  /** Bytes from the begin of the first operation that was not executed. They stay here. */
  unprocessed(): Buffer[] {
    return [...this.#parser.pending(), ...this.#received.rest()];
  }

  /** Executes a share of the operations that wait. Returns true when nothing is left to do now. */
  process(budget: Budget): boolean {
    let left = MAX_OPERATIONS_PER_TURN;
    const received = this.#received;
    for (let chunk = received.first; chunk && this.#isProcessing; chunk = received.first) {
      while (received.position < chunk.length && this.#isProcessing) {
        const { position } = received;
        const before = this.#turns.deliveries;
        received.position = this.#parser.step(chunk, position);
        const units = 1 + this.#turns.deliveries - before + Math.floor((received.position - position) / BYTES_PER_UNIT);
        if (budget.spend(units) || --left === 0) return this.#consume();
      }
      this.#consume();
    }
    return true;
  }

  /** Drops the first chunk if it was read completely; returns true when no other waits. */
  #consume(): boolean {
    if (!this.#isProcessing) return true;
    if (!this.#received.consume()) return false;
    this.flow.processed(this.#received.bytes);
    return this.isEmpty;
  }

  /** Processes nothing until `decision` is made; for ever if it is rejected. */
  holdUntil(decision: Promise<void>, refused: (error: unknown) => void): void {
    this.#hold.until(decision, refused);
  }

  /** Processes nothing until the returned function is called; `expired` is called if that takes longer than `maxMs`. */
  holdFor(maxMs: number, expired: () => void): () => void {
    return this.#hold.wait(maxMs, expired);
  }

  /** Drops what waits. Nothing is processed any more. */
  discard(): void {
    this.#isDiscarded = true;
    this.#received.discard();
  }

  close(): void {
    this.discard();
    this.#hold.close();
  }
}
