import { z } from "zod";
import { connectArguments } from "../broker-protocol.ts";
import { type HandedConnection, handedConnection } from "./handed-connection.ts";

const counter = z.number().min(0);
export const handedCounters = z.object({
  in_msgs: counter,
  in_bytes: counter,
  out_msgs: counter,
  out_bytes: counter,
  dropped_msgs: counter,
  dropped_bytes: counter,
});

const handedSubscription = z.object({
  sid: z.string(),
  subject: z.string(),
  queue: z.string().nullable(),
  isFiltered: z.boolean(),
  max: z.int().min(0),
  delivered: z.int().min(0),
});

export type SubscriptionState = z.infer<typeof handedSubscription>;

/** A client on a TCP connection. Its descriptor and its bytes have the names of `handedNames`. */
export const handedClient = z.object({
  id: z.int().min(1),
  address: z.string(),
  options: connectArguments,
  /** Identifies its permissions (`BrokerPermissions.key`); null: it has not logged in. */
  key: z.string().nullable(),
  isSlow: z.boolean(),
  counters: handedCounters,
  subscriptions: z.array(handedSubscription),
  connection: handedConnection,
});
export type ClientState = z.infer<typeof handedClient>;

export interface HandedClient {
  readonly state: ClientState;
  readonly descriptor: number;
  readonly bytes: Omit<HandedConnection, "state">;
}

/** Names of a client's descriptor and bytes. */
export function handedNames(id: number) {
  return { descriptor: `client ${id}`, input: `input ${id}`, output: `output ${id}`, queue: `queue ${id}` };
}
