import { MgrError } from "../../../base/errors.ts";
import { parseJson } from "../../../base/json.ts";
import type { TopicEncoding } from "../../../base/topics/topic-encodings.ts";
import { jsonText } from "../samples/json-text.ts";
import { messageReader, parseMessageDefinition } from "../samples/message-definition.ts";
import { CdrWriter } from "./cdr-writer.ts";
import { jsonSchemaCheck } from "./json-schema-problem.ts";

/** Converts between values of a program and payloads of a topic (docs/clients.md, "Encodings"). */
export interface TopicCodec {
  /** Throws `bad_field` with the name of the field. */
  encode(value: unknown): Uint8Array;
  /** Throws `bad_field` for bytes that do not fit the definition. */
  decode(data: Uint8Array): unknown;
}

const RAW: TopicCodec = {
  encode(value) {
    if (value instanceof Uint8Array) return value;
    throw new MgrError("bad_field", "a topic without a definition carries bytes: publish a Uint8Array, or give the publisher a definition");
  },
  decode: (data) => data,
};

/** Programs encode and decode these messages with the code that protoc has generated for them. */
const PROTOBUF: TopicCodec = {
  encode(value) {
    if (value instanceof Uint8Array) return value;
    throw new MgrError("bad_field", "publish an encoded message of Protocol Buffers as a Uint8Array");
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

/**
 * `schema`: JSON Schema that each message has to fit; null: any JSON. It comes from this program, because a pattern in it may take long. Throws
 * `bad_field` for a definition that cannot be parsed.
 */
export function topicCodec(encoding: TopicEncoding, definition: string, schema: object | null = null): TopicCodec {
  if (encoding === "raw") return RAW;
  if (encoding === "protobuf") return PROTOBUF;
  if (encoding === "cdr") return cdrCodec(definition);
  return schema === null ? JSON_CODEC : checkedJson(schema);
}

function checkedJson(schema: object): TopicCodec {
  const problemOf = jsonSchemaCheck(schema);
  const checked = (value: unknown) => {
    const problem = problemOf(value);
    if (problem !== null) throw new MgrError("bad_field", `the message does not fit the definition of its topic: ${problem}`);
    return value;
  };
  return {
    encode(value) {
      const text = jsonText(value);
      // Bytes and large integers are text there.
      checked(JSON.parse(text));
      return new TextEncoder().encode(text);
    },
    decode: (data) => checked(JSON_CODEC.decode(data)),
  };
}

function cdrCodec(text: string): TopicCodec {
  const definitions = parseMessageDefinition(text);
  const writer = new CdrWriter(definitions);
  return { encode: (value) => writer.write(value), decode: messageReader(definitions) };
}
