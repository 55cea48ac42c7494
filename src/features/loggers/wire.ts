import { z } from "zod";
import { flag, integer, objectName } from "../../protocol/frames/field-kinds.ts";
import { answer, change, clientFrames, managerFrames, result } from "../../protocol/frames/frame-table.ts";
import { MAX_DIVISOR, MAX_LOG_SIZE } from "./limits.ts";

const loggerTopic = z
  .object({
    name: z.string(),
    log_size: z.int().describe("Samples that are kept."),
    divisor: z.int().describe("Every n-th sample is kept."),
    only_ts: z.boolean().describe("Times without payload."),
    enabled: z.boolean().describe("The logger is started and the topic is in its configuration."),
    active: z.boolean().describe("A daemon is receiving it."),
    n_samples: z.int().describe("Samples held now."),
    md_name: z.string().describe("Name of the message definition."),
    port: z.string().describe("`<host>:<topic>`."),
  })
  .meta({ id: "LoggerTopic" });
export type LoggerTopic = z.infer<typeof loggerTopic>;

export const daemonLogger = z
  .object({
    name: z.string(),
    enabled: z.boolean(),
    active_topics: z.array(z.string()),
    topics: z.array(loggerTopic),
  })
  .meta({ id: "DaemonLogger", description: "Records topics in rings of the daemons." });
export type DaemonLogger = z.infer<typeof daemonLogger>;

const MAX_TOPICS = 1_000;
const topicsSay = `must be an array of at most ${MAX_TOPICS} topics`;
const wantedTopic = z.object(
  {
    name: objectName,
    log_size: integer(1, MAX_LOG_SIZE).describe("Samples to keep."),
    divisor: integer(1, MAX_DIVISOR).describe("Keep every n-th sample."),
  },
  { error: "must be an object with name, log_size and divisor" },
);
const loggerName = objectName.describe("Name of a logger.");

export const loggerCommands = clientFrames("Loggers", {
  request_loggers: { fields: {}, answer: "loggers_snapshot", scope: "global", role: "viewer", readOnly: true, meaning: "All loggers." },
  configure_logger: {
    fields: {
      name: loggerName,
      only_ts: flag.describe("Keep times without payload."),
      topics: z.array(wantedTopic, { error: topicsSay }).max(MAX_TOPICS, { error: topicsSay }),
    },
    answer: "logger_action_result",
    constant: { action: "configure" },
    scope: "global",
    role: "operator",
    meaning: "Makes or changes a logger; a running one is a `conflict`. `logger_upsert` follows.",
  },
  start_logger: {
    fields: { name: loggerName },
    answer: "logger_action_result",
    constant: { action: "start" },
    scope: "global",
    role: "operator",
    meaning: "Starts recording.",
  },
  stop_logger: {
    fields: { name: loggerName },
    answer: "logger_action_result",
    constant: { action: "stop" },
    scope: "global",
    role: "operator",
    meaning: "Stops recording; samples are kept.",
  },
  delete_logger: {
    fields: { name: loggerName },
    answer: "logger_action_result",
    constant: { action: "delete" },
    scope: "global",
    role: "operator",
    meaning: "Removes a logger and its samples. `logger_remove` follows.",
  },
});

export const loggerFrames = managerFrames("Loggers", {
  loggers_snapshot: answer({ loggers: z.array(daemonLogger) }, "All loggers."),
  logger_upsert: change({ logger: daemonLogger }, "A logger appeared or changed.", ({ logger }) => `logger:${logger.name}`),
  logger_remove: change({ name: z.string() }, "A logger was deleted."),
  logger_action_result: result(
    { action: z.enum(["configure", "start", "stop", "delete"]), name: z.string() },
    {},
    "A logger command was carried out, or not.",
  ),
});

export const loggerSnapshot = { loggers: z.array(daemonLogger) };
