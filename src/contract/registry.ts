import { z } from "zod";
import { fitsInUtf8, hasLength } from "../base/text/text-length.ts";
import { TOPIC_ENCODINGS } from "../base/topics/topic-encodings.ts";
import { runId } from "./fields.ts";

/** Subject on which a client registers (docs/clients.md). The broker of its host answers the request itself and does not route it. */
export const REGISTER_SUBJECT = "mgr.client.register";

export const MAX_CLIENT_NAME_CHARS = 128;
/** Maximum number of processes that are reported as other publishers of a topic; with more, the last is "". */
export const MAX_REPORTED_PUBLISHERS = 100;
/** Maximum number of topics that one client may register. */
export const MAX_CLIENT_TOPICS = 1_000;
export const MAX_DEFINITION_BYTES = 128 * 1024;
export const MAX_TOPIC_PRIORITY = 7;
/** Maximum of `reliable_within`, bytes: half of a queue. */
export const MAX_RELIABLE_BYTES = 4 * 1024 * 1024;
/** Maximum number of subscriptions to topics that are reported of one client. */
export const MAX_REPORTED_SUBSCRIPTIONS = 1_000;
/** Minimum time between two reports of a topic's counters, and the interval of its rate readings, milliseconds. */
export const COUNTERS_MS = 500;

const encodingSays = `must be one of ${TOPIC_ENCODINGS.join(", ")}`;

const wholeSays = "must be a whole number of at least 0";
const whole = z.int({ error: wholeSays }).min(0, { error: wholeSays });
const flag = z.boolean({ error: "must be true or false" });
const text = (minimum: number, maximum: number) => {
  const error = `must be a string of ${minimum} to ${maximum} characters`;
  return z.string({ error }).refine((value) => hasLength(value, minimum, maximum), { error });
};
const definitionSays = `must be a string of at most ${MAX_DEFINITION_BYTES} bytes as JSON`;

/**
 * A topic that a client publishes. `definition` is the text of a ROS 2 message (`cdr`) or a JSON Schema (`json`). While a receiver reads slowly,
 * topics of a higher `priority` are sent before the others of this client, messages older than `max_age_ms` are dropped, and with
 * `reliable_within` (bytes) messages beyond that are refused instead of dropping older ones.
 */
const registeredTopic = z.object(
  {
    name: text(1, 255),
    definition: z
      .string({ error: definitionSays })
      .refine((value) => fitsInUtf8(JSON.stringify(value), MAX_DEFINITION_BYTES), { error: definitionSays })
      .default(""),
    definition_name: text(0, 255).exactOptional(),
    encoding: z.enum(TOPIC_ENCODINGS, { error: encodingSays }),
    keep_last: flag.default(false),
    priority: whole.max(MAX_TOPIC_PRIORITY, { error: `must be at most ${MAX_TOPIC_PRIORITY}` }).default(0),
    max_age_ms: whole.min(1, { error: "must be at least 1" }).exactOptional(),
    reliable_within: whole
      .min(1, { error: "must be at least 1" })
      .max(MAX_RELIABLE_BYTES, { error: `must be at most ${MAX_RELIABLE_BYTES}` })
      .exactOptional(),
  },
  { error: "must be an object with name, definition, encoding and keep_last" },
);
export type RegisteredTopic = z.infer<typeof registeredTopic>;

const topicsSay = `must be an array of at most ${MAX_CLIENT_TOPICS} topics`;
/** Registration of a client; unknown keys are ignored. A later registration of the same connection replaces all of it. */
export const clientRegistration = z.object(
  {
    name: text(1, MAX_CLIENT_NAME_CHARS),
    pid: whole.default(0),
    library_version: whole.default(0),
    svn_revision: whole.default(0),
    modified: flag.default(false),
    svc_debug: flag.default(false),
    topics: z.array(registeredTopic, { error: topicsSay }).max(MAX_CLIENT_TOPICS, { error: topicsSay }).default([]),
  },
  { error: "must be a JSON object" },
);
export type ClientRegistration = z.infer<typeof clientRegistration>;

/** A connected client, as the broker of its host knows it: fields that it did not send are 0, "" or false. */
export const clientRecord = z.object({
  /** Connection id of this broker, never used again while the broker lives. */
  connection: z.int(),
  name: z.string(),
  pid: z.int(),
  address: z.string(),
  library_version: z.int(),
  svn_revision: z.int(),
  modified: z.boolean(),
  svc_debug: z.boolean(),
  registered: z.boolean(),
  /** Id of the run whose token it used. */
  run_id: runId.nullable(),
  process_name: z.string(),
  /** Subjects that may match a topic, one entry for each subscription; at most MAX_REPORTED_SUBSCRIPTIONS. */
  subscriptions: z.array(z.string()),
});
export type ClientRecord = z.infer<typeof clientRecord>;

/** Counters of the current publisher of a topic. Rates cover the last full second. */
export const topicCounters = z.object({
  /** Time of the reading, by a monotonic clock of the broker, milliseconds. */
  at: z.number(),
  packets: z.int(),
  bytes: z.int(),
  /** Bytes of the last packet, headers included; 0 before the first. */
  last_size: z.int(),
  /** Packets that subscribers of this broker lost because they did not read fast enough. */
  dropped: z.int(),
  /** Kept messages that were lost because the memory of the broker was used up. */
  kept_dropped: z.int(),
  rate: z.number(),
  bytes_rate: z.number(),
});
export type TopicCounters = z.infer<typeof topicCounters>;

export const topicRecord = z.object({
  subject: z.string(),
  name: z.string(),
  /** Connection of the publisher. */
  connection: z.int(),
  /** Whether a registration reserved the topic; false for a program that only publishes. */
  reserved: z.boolean(),
  definition: z.string(),
  definition_name: z.string(),
  encoding: z.enum(TOPIC_ENCODINGS),
  keep_last: z.boolean(),
  priority: z.int(),
  max_age_ms: z.int().nullable(),
  reliable_within: z.int().nullable(),
  /** The reason why messages cannot be decoded by the definition. */
  definition_problem: z.string().nullable(),
  /** Whether a client of another host has the topic: messages of this one are refused. */
  lost: z.boolean(),
  /** Processes of the other clients that publish it without a registration, "" for a program that is no process; daemons of earlier versions send none. */
  others: z.array(z.string()).default([]),
  /** Whether packets of the topic also arrive from a nats-server: a client connected there publishes it, and cannot be refused. */
  foreign: z.boolean(),
  counters: topicCounters,
});
export type TopicRecord = z.infer<typeof topicRecord>;

const serviceEndpoint = z.object({ name: z.string(), subject: z.string() });

/** An instance of a NATS micro service. */
export const serviceRecord = z.object({
  connection: z.int(),
  /** Id of the instance. */
  id: z.string(),
  /** `metadata.name`, else the NATS name. */
  name: z.string(),
  interface: z.string(),
  provider: z.string(),
  /** TCP port of the bus that its connection uses; 0 for a unix socket. */
  port: z.int(),
  unix_socket: z.string().nullable(),
  endpoints: z.array(serviceEndpoint),
});
export type ServiceRecord = z.infer<typeof serviceRecord>;

/** A change of the tables of one broker. */
export const registryChange = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("client"), client: clientRecord }),
  z.object({ kind: z.literal("client_gone"), connection: z.int() }),
  z.object({ kind: z.literal("topic"), topic: topicRecord }),
  z.object({ kind: z.literal("topic_gone"), subject: z.string() }),
  z.object({ kind: z.literal("service"), service: serviceRecord }),
  z.object({ kind: z.literal("service_gone"), connection: z.int(), id: z.string() }),
  z.object({ kind: z.literal("counters"), subject: z.string(), counters: topicCounters }),
]);
export type RegistryChange = z.infer<typeof registryChange>;

/** All tables of a broker, in the order in which they are applied: clients before their topics and services. */
export interface RegistryTables {
  readonly clients: readonly ClientRecord[];
  readonly topics: readonly TopicRecord[];
  readonly services: readonly ServiceRecord[];
}
