import { z } from "zod";
import { objectName } from "../../../protocol/frames/field-kinds.ts";
import { clientFrames, managerFrames, result } from "../../../protocol/frames/frame-table.ts";

const traceStep = z
  .object({
    kind: z.enum(["publisher", "broker", "store", "link", "subscriber"]).describe("`store`: the samples that a host keeps for its link."),
    name: z.string().describe("Name of the client or of the broker's host; of a link both ends."),
    host: z.string().nullable().describe("Null for a link."),
    messages: z
      .int()
      .nullable()
      .describe(
        "Messages so far: published, received by the broker, sent by the store, or passed to the subscriber; null where they are not counted.",
      ),
    rate: z.number().nullable().describe("Messages a second during the measurement."),
    last_age_ms: z.number().nullable().describe("Time since the last message, to half a second."),
    waiting: z.int().nullable().describe("Messages in the queue of a link or subscriber, or in the store."),
    dropped: z
      .int()
      .nullable()
      .describe("Messages that a link or subscriber lost because it did not read fast enough, or that the store dropped."),
    definition: z.string().nullable().describe("Encoding and definition of the publisher."),
    note: z.string().nullable().describe("What is to be known about the place, and is no problem."),
    problem: z.string().nullable(),
    advice: z.string().nullable().describe("What to do about the problem."),
  })
  .meta({ id: "TopicTraceStep" });
export type TraceStep = z.infer<typeof traceStep>;

export const topicTraceCommands = clientFrames("Topics", {
  trace_topic: {
    fields: {
      name: objectName.describe("Name of a topic, whether it is published or not."),
      to: objectName.describe("Name of the subscriber, or of its process. Default: the first subscriber with a problem.").exactOptional(),
    },
    answer: "topic_trace",
    scope: "owned",
    role: "viewer",
    readOnly: true,
    meaning: "Why messages of a topic do not arrive: what publisher, brokers, links and subscriber counted within a second.",
  },
});

export const topicTraceFrames = managerFrames("Topics", {
  topic_trace: result(
    { name: z.string() },
    {
      steps: z.array(traceStep).describe("From the publisher to the subscriber, as far as they are known."),
      wrong: z.int().nullable().describe("Index of the first step with a problem; null: messages arrive."),
    },
    "The way of a topic.",
  ),
});
