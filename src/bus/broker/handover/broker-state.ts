import { z } from "zod";
import type { HandedOver } from "../../../base/handed-over.ts";
import { handedClient, handedCounters } from "./handed-client.ts";
import { handedAnswers, handedSubject } from "./subject-state.ts";

/** State of a broker for the one that continues it, in the next program. */
export const brokerState = z.object({
  /** server_id: clients and hubs recognise the broker by it. */
  id: z.string(),
  nextClient: z.int().min(1),
  counters: handedCounters,
  clients: z.array(handedClient),
  subjects: z.array(handedSubject),
  answers: z.array(handedAnswers),
  /** State of its table of clients, topics and services. */
  hooks: z.unknown(),
});
export type BrokerState = z.infer<typeof brokerState>;

export interface HandedBroker extends HandedOver {
  readonly state: BrokerState;
}

/** Name of the descriptor of the listening socket. */
export const LISTENER = "listener";
