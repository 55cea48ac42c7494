import { z } from "zod";
import { clientRegistration, serviceRecord, topicRecord } from "../../contract/registry.ts";

const count = z.number().min(0);
const connection = z.int().min(1);

const topicState = z.object({
  subject: z.string(),
  name: z.string(),
  owner: connection,
  isReserved: z.boolean(),
  isLost: z.boolean(),
  others: z.array(connection),
  definition: topicRecord.pick({
    definition: true,
    definition_name: true,
    encoding: true,
    keep_last: true,
    priority: true,
    max_age_ms: true,
    reliable_within: true,
  }),
  problem: z.string().nullable(),
  packets: count,
  bytes: count,
  lastSize: count,
  dropped: count,
  keptDropped: count,
  /** Readings of the rate; `at` is a `systemTime`. */
  readings: z.array(z.object({ at: z.number(), packets: count, bytes: count })),
  /** The newest message; its bytes are in the bytes of the table, in the order of the topics. */
  kept: z.object({ moment: z.int(), headerBytes: z.int().min(0), bytes: z.int().min(0) }).nullable(),
});
export type TopicState = z.infer<typeof topicState>;

const serviceState = z.object({
  client: connection,
  sid: z.string(),
  record: serviceRecord.nullable(),
  bytes: count,
  /** Whether its INFO is requested again. */
  isAsked: z.boolean(),
});

/** State of the table of clients, topics and services for the next program. */
export const registryState = z.object({
  members: z.array(
    z.object({
      client: connection,
      registration: clientRegistration.nullable(),
      /** Size of the registration, for its limit. */
      bytes: count,
      /** Number of topics that it publishes without a registration. */
      discovered: z.int().min(0),
    }),
  ),
  topics: z.array(topicState),
  /** Topics of other hosts: subject and message. */
  lost: z.array(z.tuple([z.string(), z.string()])),
  services: z.array(serviceState),
  /** Inbox of the requests for INFO. */
  inbox: z.string(),
  /** Identifies this broker in requests for further pages of kept messages. */
  broker: z.string(),
  /** Subscribers that are being sent kept messages, with the last topic that was checked. */
  deliveries: z.array(z.object({ client: connection, sid: z.string(), since: z.int(), after: z.string().nullable() })),
});
export type RegistryState = z.infer<typeof registryState>;

/** Name of the bytes of the kept messages. */
export const KEPT = "kept";
