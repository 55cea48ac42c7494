import { z } from "zod";
import type { HandedOver } from "../../../base/handed-over.ts";
import { handedClient, handedCounters } from "./handed-client.ts";

const count = z.object({ msgs: z.number().min(0), bytes: z.number().min(0) });

/** Counters of one subject. */
const handedSubject = z.object({
  subject: z.string(),
  ...count.shape,
  last_bytes: z.number().min(0),
  publishers: z.array(z.int()),
  foreign: count,
  arrived: count,
  crossing: count,
});
export type SubjectState = z.infer<typeof handedSubject>;

const handedAnswers = z.object({ subject: z.string(), given: count, received: count });
export type AnswersState = z.infer<typeof handedAnswers>;

/** What a broker hands to the one that continues it, in the next program. */
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
