import type { BrokerCounters } from "./broker-counters.ts";
import type { BrokerHooks } from "./broker-hooks.ts";
import type { BrokerLimits } from "./broker-protocol.ts";
import type { BrokerTurns } from "./broker-turns.ts";
import type { MemoryBudget } from "./queues/memory-budget.ts";
import type { BrokerRouter } from "./routing/broker-router.ts";

/** The parts that the clients and links of one broker share. */
export interface BrokerParts {
  /** server_id of this broker. */
  readonly id: string;
  readonly limits: BrokerLimits;
  readonly turns: BrokerTurns;
  readonly counters: BrokerCounters;
  readonly router: BrokerRouter;
  readonly hooks: BrokerHooks | null;
  readonly memory: MemoryBudget;
}
