import type { McapChannel } from "./encoder.ts";

/** A recorded topic: its encoding and definition. */
export interface RecordedTopic {
  readonly topic: string;
  readonly definition: string;
  readonly definitionName: string;
  readonly encoding: string;
}

const ANY_OBJECT = '{"type":"object"}';

/**
 * The channel for a topic, so that viewers show it: JSON needs a schema in any case, CDR the text of its ROS 2 message, Protocol Buffers their
 * FileDescriptorSet in base64.
 */
export function channelOf(
  { topic, definition, definitionName, encoding }: RecordedTopic,
  metadata: Readonly<Record<string, string>>,
): McapChannel {
  const name = definitionName || topic;
  if (encoding === "json") {
    const text = definition === "" ? ANY_OBJECT : definition;
    return { topic, encoding, schema: { name, encoding: "jsonschema", text }, metadata };
  }
  if (encoding === "cdr") return { topic, encoding, schema: { name, encoding: "ros2msg", text: definition }, metadata };
  if (encoding === "protobuf" && definition !== "") return { topic, encoding, schema: { name, encoding, text: definition }, metadata };
  return { topic, encoding: "raw", schema: null, metadata };
}

/** A log line in the format that viewers support. */
export const LOG_LINE: Pick<RecordedTopic, "definition" | "definitionName" | "encoding"> = {
  encoding: "json",
  definitionName: "foxglove.Log",
  definition: JSON.stringify({
    title: "foxglove.Log",
    description: "A log message",
    type: "object",
    properties: {
      timestamp: {
        type: "object",
        title: "time",
        properties: { sec: { type: "integer", minimum: 0 }, nsec: { type: "integer", minimum: 0 } },
      },
      level: { type: "integer", description: "0 unknown, 1 debug, 2 info, 3 warning, 4 error, 5 fatal" },
      message: { type: "string" },
      name: { type: "string" },
      file: { type: "string" },
      line: { type: "integer", minimum: 0 },
    },
  }),
};

const LEVELS = ["unknown", "debug", "info", "warning", "error", "fatal"];

/** `time` is in nanoseconds since 1970. */
export function logLine(time: bigint, level: string, name: string, message: string): Uint8Array {
  const timestamp = { sec: Number(time / 1_000_000_000n), nsec: Number(time % 1_000_000_000n) };
  const line = { timestamp, level: Math.max(0, LEVELS.indexOf(level)), message, name, file: "", line: 0 };
  return new TextEncoder().encode(JSON.stringify(line));
}
