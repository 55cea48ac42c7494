import { MgrError } from "../../../base/errors.ts";
import { parseJson } from "../../../base/json.ts";
import type { TopicEncoding } from "../../../base/topic-encodings.ts";
import { jsonText } from "../samples/json-text.ts";
import { messageReader, parseMessageDefinition } from "../samples/message-definition.ts";
import { CdrWriter } from "./cdr-writer.ts";

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
  const definitions = parseMessageDefinition(text);
  const writer = new CdrWriter(definitions);
  return { encode: (value) => writer.write(value), decode: messageReader(definitions) };
}
