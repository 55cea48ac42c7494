import type { BrokerLimits } from "../broker-protocol.ts";
import type { Subscriber } from "../broker-subscriber.ts";
import type { BrokerTurns } from "../broker-turns.ts";
import type { FairQueueOptions } from "../queues/fair-queue.ts";
import type { MemoryBudget } from "../queues/memory-budget.ts";

/** The parts of its broker and its client that a connection uses. */
export interface ConnectionEnvironment extends Pick<FairQueueOptions, "policyOf" | "dropped"> {
  readonly limits: BrokerLimits;
  readonly turns: BrokerTurns;
  readonly memory: MemoryBudget;
  /** Owner of the memory that the connection uses, for messages. */
  owner(): string;
  /** Called when messages of one publisher and subject are on their way. */
  sent(publisher: Subscriber, subject: string, msgs: number, payload: number): void;
  /** Called when the client is being refused: nothing more may be delivered to it. */
  failed(): void;
  /** Called when an operation threw an error other than a protocol violation. */
  defect(error: unknown): void;
  /** Called once, at the end. */
  closed(): void;
}
