import { z } from "zod";
import type { ByteStream } from "../../carriers/byte-stream.ts";
import type { BrokerOutput } from "../client/broker-output.ts";
import type { ConnectionInput } from "../input/connection-input.ts";
import type { DeferredAnswers } from "../queues/deferred-answers.ts";
import type { FairQueue } from "../queues/fair-queue.ts";
import { handedFlows, queueToHand } from "./handed-queue.ts";

export const handedConnection = z.object({
  flows: handedFlows,
  /** Answers that wait, with the number of queued messages that leave before them. */
  answers: z.array(z.object({ after: z.int().min(0), text: z.string() })),
});
export type ConnectionState = z.infer<typeof handedConnection>;

/** State of a connection for the broker that continues it. */
export interface HandedConnection {
  readonly state: ConnectionState;
  /** Received bytes that were not processed, from the begin of an operation. */
  readonly input: Uint8Array;
  /** Bytes that are sent next. */
  readonly output: Uint8Array;
  /** Messages that wait behind them (handed-queue.ts). */
  readonly queue: Uint8Array;
}

interface ConnectionParts {
  readonly stream: ByteStream;
  readonly input: ConnectionInput;
  readonly output: BrokerOutput;
  readonly queue: FairQueue;
  readonly deferred: DeferredAnswers;
}

/** The parts stay as they are, so that the connection can go on. */
export function connectionToHand({ stream, input, output, queue, deferred }: ConnectionParts): HandedConnection {
  const { flows, bytes } = queueToHand(queue);
  return {
    state: { flows, answers: deferred.waiting() },
    input: Buffer.concat(input.unprocessed()),
    output: Buffer.concat([stream.handOver?.unaccepted() ?? Buffer.alloc(0), ...output.held()]),
    queue: bytes,
  };
}
