import rosmsg from "@foxglove/rosmsg";
import rosmsg2 from "@foxglove/rosmsg2-serialization";
import { MgrError, messageOf } from "../../base/errors.ts";
import { parseJson } from "../../base/json.ts";
import { CdrWriter } from "./cdr-writer.ts";
import { jsonText } from "./json-text.ts";

export type TopicEncoding = "cdr" | "json" | "raw";

/** Between values of a program and the payload of a topic (docs/clients.md, "Encodings"). */
export interface TopicCodec {
  /** Throws `bad_field` that names the field. */
  encode(value: unknown): Uint8Array;
  /** Throws `bad_field` for bytes that do not fit the definition. */
  decode(data: Uint8Array): unknown;
}

/** Longest definition that is parsed, characters. */
const MAX_DEFINITION_LENGTH = 256 * 1024;

const RAW: TopicCodec = {
  encode(value) {
    if (value instanceof Uint8Array) return value;
    throw new MgrError("bad_field", "a topic without a definition carries bytes: publish a Uint8Array, or give the publisher a definition");
  },
  decode: (data) => data,
};

const JSON_CODEC: TopicCodec = {
  encode: (value) => new TextEncoder().encode(jsonText(value)),
  decode(data) {
    const value = parseJson(new TextDecoder().decode(data));
    if (value === undefined) throw new MgrError("bad_field", "the message is not JSON, although its topic says so");
    return value;
  },
};

/** Throws `bad_field` for a definition that cannot be parsed. */
export function topicCodec(encoding: TopicEncoding, definition: string): TopicCodec {
  if (encoding === "raw") return RAW;
  return encoding === "json" ? JSON_CODEC : cdrCodec(definition);
}

function cdrCodec(text: string): TopicCodec {
  if (text.length > MAX_DEFINITION_LENGTH)
    throw new MgrError("bad_field", `the message definition has ${text.length} characters; at most ${MAX_DEFINITION_LENGTH} are allowed`);
  const { writer, reader } = parse(text);
  return {
    encode: (value) => writer.write(value),
    decode(data) {
      try {
        return reader.readMessage(data);
      } catch (cause) {
        throw new MgrError("bad_field", `the message does not fit the definition of its topic: ${messageOf(cause)}`, { cause });
      }
    },
  };
}

function parse(text: string) {
  try {
    const definitions = rosmsg.parse(text, { ros2: true });
    return { writer: new CdrWriter(definitions), reader: new rosmsg2.MessageReader(definitions) };
  } catch (cause) {
    throw new MgrError("bad_field", `the message definition is not a ROS 2 message: ${messageOf(cause)}`, { cause });
  }
}
