import { z } from "zod";
import { amount, jsonValue, MAX_SAMPLE_SECONDS, objectName, sampleSeconds, text, timestamp } from "../../../protocol/frames/field-kinds.ts";
import { answer, change, clientFrames, event, managerFrames, result } from "../../../protocol/frames/frame-table.ts";
import { parseFieldPath } from "../field-path.ts";

const topicLimit = z
  .object({
    min_rate: z.number().nullable().describe("Least messages a second; null: no such limit, as with the next two."),
    max_gap_ms: z.int().nullable().describe("Longest time between two messages."),
    max_latency_ms: z.int().nullable().describe("Longest time from publication to receipt by the host's broker."),
    met: z.boolean().nullable().describe("Whether the topic keeps them; null: not known, as while the process does not run."),
    since: timestamp.nullable().describe("Since when it keeps them, or does not."),
    problem: z.string().nullable().describe("The limit that is not kept, with both figures as of then."),
  })
  .meta({
    id: "TopicLimit",
    description: "Limits of `ready` or `alive` of one process for a topic; without any, the topic has to be published at all.",
  });
export type TopicLimit = z.infer<typeof topicLimit>;

export const topic = z
  .object({
    name: z.string(),
    publisher: z.string().describe("Name of the publishing client."),
    publisher_host: z.string(),
    subscribers: z.int().describe("Number of subscriptions."),
    publisher_rate: z.number().describe("Packets a second."),
    published_packets: z.int(),
    message_definition: z.string().describe("Name of the definition; its text is in `topic_detail`."),
    message_size: z.int().describe("Bytes of the last packet; 0 before the first."),
    dropped_packets: z.int().describe("Packets that subscribers on the publisher's host lost because they did not read fast enough."),
    problem: z
      .string()
      .nullable()
      .describe(
        "Why its packets may be missing or mixed, because another client publishes the topic, too; or why they cannot be decoded, because its definition cannot be parsed.",
      ),
    limits: z.array(topicLimit).describe("What processes of the configuration expect of it; usually none or one."),
  })
  .meta({ id: "Topic" });
export type Topic = z.infer<typeof topic>;

/** Default length of a measurement of `request_topics_stat`, seconds. */
export const DEFAULT_SAMPLE_SECONDS = 1;
/** Default and maximum number of samples per second of `subscribe_topic`: a screen cannot show more. */
export const DEFAULT_SAMPLE_RATE = 10;
const MAX_SAMPLE_RATE = 60;

/** Maximum length of a definition, characters: within the limit of a registration. */
const MAX_DEFINITION_CHARS = 32 * 1024;

/** Maximum number of numeric fields of one subscription. */
const MAX_SAMPLE_FIELDS = 100;
const fieldsSay = `must be an array of 1 to ${MAX_SAMPLE_FIELDS} paths of fields such as position[0]`;
const sampleFields = z
  .array(
    text(0, 255, fieldsSay).refine((path) => path === "" || parseFieldPath(path) !== null, { error: fieldsSay }),
    { error: fieldsSay },
  )
  .min(1, { error: fieldsSay })
  .max(MAX_SAMPLE_FIELDS, { error: fieldsSay });

const topicName = objectName.describe("Name of a topic.");

export const topicCommands = clientFrames("Topics", {
  request_topics: { fields: {}, answer: "topics_snapshot", scope: "seen", role: "viewer", readOnly: true, meaning: "All topics." },
  request_topics_stat: {
    fields: {
      sample_seconds: sampleSeconds()
        .describe(`How long to measure; default ${DEFAULT_SAMPLE_SECONDS}, at most ${MAX_SAMPLE_SECONDS}.`)
        .exactOptional(),
    },
    answer: "topics_stat",
    scope: "seen",
    role: "viewer",
    readOnly: true,
    meaning: "Measured rates of all topics.",
  },
  request_topic_detail: {
    fields: { name: topicName },
    answer: "topic_detail",
    scope: "owned",
    role: "viewer",
    readOnly: true,
    meaning: "Who publishes and subscribes, and the definition.",
  },
  subscribe_topic: {
    fields: {
      name: topicName,
      max_rate: amount(MAX_SAMPLE_RATE)
        .describe(`Most samples a second; default ${DEFAULT_SAMPLE_RATE}, at most ${MAX_SAMPLE_RATE}.`)
        .exactOptional(),
      fields: sampleFields
        .describe(
          "Numeric fields such as `position[0]`, at most 100, empty for the value itself: each `topic_sample` then has their values in all samples, as `batch`.",
        )
        .exactOptional(),
    },
    answer: null,
    scope: "seen",
    role: "viewer",
    readOnly: true,
    meaning: "Samples of a topic as `topic_sample`.",
  },
  publish_topic: {
    fields: {
      name: topicName,
      value: jsonValue.describe("The message."),
      definition: text(0, MAX_DEFINITION_CHARS)
        .describe(
          "JSON Schema, the name of a well-known message such as `foxglove.PoseInFrame`, or text of a ROS 2 message, which is sent as CDR. The value has to fit it. Default: any JSON.",
        )
        .exactOptional(),
      definition_name: text(0, 255).describe("For example `sensor_msgs/msg/JointState`.").exactOptional(),
    },
    answer: "topic_publish_result",
    scope: "global",
    role: "operator",
    meaning: "Publishes one message of a topic that no other client publishes.",
  },
  unsubscribe_topic: {
    fields: { name: topicName },
    answer: null,
    scope: "seen",
    role: "viewer",
    readOnly: true,
    meaning: "Ends `subscribe_topic`.",
  },
});

const endpoint = z.object({ client_id: z.int(), client: z.string(), host: z.string() });
const batch = z
  .object({
    times: z.array(z.int()).describe("Of each sample, microseconds since 1970."),
    values: z
      .array(z.array(z.number().nullable()))
      .describe("For each of `fields` its value in each sample; null if it is not a finite number."),
  })
  .meta({ id: "SampleBatch" });
const sample = z.object({ ts: timestamp, value: z.unknown() });

export const topicFrames = managerFrames("Topics", {
  topics_snapshot: answer({ topics: z.array(topic) }, "All topics."),
  topic_upsert: change({ topic }, "A topic appeared or changed.", ({ topic }) => `topic:${topic.name}`),
  topic_remove: change({ name: z.string() }, "A topic was removed."),
  topic_sample: event(
    {
      name: z.string(),
      ts: timestamp,
      value: z.unknown().describe("A packet that cannot be decoded is {error, base64}."),
      undecoded: z
        .int()
        .describe("Packets that could not be decoded so far, of those that the manager has decoded while the topic was subscribed to."),
      batch: batch.exactOptional().describe("Only with `fields`: all samples since the last frame, this one included."),
    },
    "One packet of a subscribed topic, decoded where its definition allows.",
  ),
  topic_publish_result: result(
    { name: z.string() },
    { subscribers: z.int().describe("Clients that subscribe to it now.") },
    "Whether the message was published.",
  ),
  topics_stat: result(
    {},
    {
      sample_seconds: z.number().describe("The time that really passed."),
      topics: z.array(z.object({ name: z.string(), rate: z.number(), bytes_s: z.number(), packets: z.int() })),
    },
    "Measured rates of all topics.",
  ),
  topic_detail: result(
    { name: z.string() },
    {
      topic,
      publisher: endpoint.nullable(),
      subscribers: z.array(endpoint),
      definition: z.string(),
      encoding: z.string(),
      keep_last: z.boolean().describe("Whether the broker keeps the newest packet for new subscribers."),
      priority: z
        .int()
        .describe("0 to 7. Topics of a higher priority of the same client are sent first to a subscriber that reads slowly."),
      max_age_ms: z.int().nullable().describe("Packets that have waited longer for a subscriber are dropped; null: they are not."),
      reliable_within: z
        .int()
        .nullable()
        .describe("Bytes that may wait for a subscriber: packets beyond them are refused. null: the oldest packets are dropped instead."),
      kept_dropped: z.int().describe("Kept packets that were lost because the memory of the broker was used up."),
      last_sample: sample.nullable(),
    },
    "More about one topic.",
  ),
});

export const topicSnapshot = { topics: z.array(topic) };
