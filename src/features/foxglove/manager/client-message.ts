import { z } from "zod";
import { firstIssue, MgrError } from "../../../base/errors.ts";
import { parseJson } from "../../../base/json.ts";
import { MAX_SCHEMA_CHARS, MAX_SUBSCRIPTIONS } from "../limits.ts";

/** Maximum length of names, characters. */
const MAX_NAME_CHARS = 512;
const id = z.int().min(0).max(0xffff_ffff);
const name = z.string().max(MAX_NAME_CHARS);
const listOf = <Entry extends z.ZodType>(entry: Entry) => z.array(entry).max(MAX_SUBSCRIPTIONS);
const requestId = name.exactOptional();

const clientChannel = z.object({
  id,
  topic: name,
  encoding: name,
  schemaName: name.default(""),
  schema: z.string().max(MAX_SCHEMA_CHARS).default(""),
  schemaEncoding: name.default(""),
});
export type ClientChannel = z.infer<typeof clientChannel>;

const parameterValue = z.union([z.number(), z.string(), z.boolean(), z.null()]).optional();

/** The messages that viewers send as text, by the specification of the Foxglove WebSocket protocol. */
const clientMessage = z.discriminatedUnion("op", [
  z.object({ op: z.literal("subscribe"), subscriptions: listOf(z.object({ id, channelId: id })) }),
  z.object({ op: z.literal("unsubscribe"), subscriptionIds: listOf(id) }),
  z.object({ op: z.literal("advertise"), channels: listOf(clientChannel) }),
  z.object({ op: z.literal("unadvertise"), channelIds: listOf(id) }),
  z.object({ op: z.literal("getParameters"), parameterNames: listOf(name), id: requestId }),
  z.object({ op: z.literal("setParameters"), parameters: listOf(z.object({ name, value: parameterValue })), id: requestId }),
  z.object({ op: z.literal("subscribeParameterUpdates"), parameterNames: listOf(name) }),
  z.object({ op: z.literal("unsubscribeParameterUpdates"), parameterNames: listOf(name) }),
  z.object({ op: z.literal("subscribeConnectionGraph") }),
  z.object({ op: z.literal("unsubscribeConnectionGraph") }),
]);
export type ClientMessage = z.infer<typeof clientMessage>;

/** Parses a text message. Throws `bad_field`. */
export function parseClientMessage(text: string): ClientMessage {
  const parsed = clientMessage.safeParse(parseJson(text));
  if (parsed.success) return parsed.data;
  throw new MgrError("bad_field", `the message was not understood and has no effect: ${firstIssue(parsed.error, "the message")}`);
}

export type BinaryMessage =
  | { readonly op: "message"; readonly channelId: number; readonly data: Buffer }
  | {
      readonly op: "call";
      readonly serviceId: number;
      readonly callId: number;
      readonly encoding: string;
      readonly data: Buffer;
    };

const CLIENT_MESSAGE_DATA = 1;
const SERVICE_CALL_REQUEST = 2;
const MESSAGE_HEADER_BYTES = 5;
const CALL_HEADER_BYTES = 13;

/** Parses a binary message; integers are little-endian. Throws `bad_field`. */
export function parseBinaryMessage(bytes: Buffer): BinaryMessage {
  const op = bytes[0];
  if (op === CLIENT_MESSAGE_DATA && bytes.length >= MESSAGE_HEADER_BYTES)
    return { op: "message", channelId: bytes.readUInt32LE(1), data: bytes.subarray(MESSAGE_HEADER_BYTES) };
  if (op === SERVICE_CALL_REQUEST && bytes.length >= CALL_HEADER_BYTES) {
    const end = CALL_HEADER_BYTES + bytes.readUInt32LE(9);
    if (end <= bytes.length) {
      const [serviceId, callId] = [bytes.readUInt32LE(1), bytes.readUInt32LE(5)];
      return { op: "call", serviceId, callId, encoding: bytes.toString("utf8", CALL_HEADER_BYTES, end), data: bytes.subarray(end) };
    }
  }
  throw new MgrError(
    "bad_field",
    `a binary message with opcode ${op ?? "(none)"} and ${bytes.length} bytes was not understood: send message data (1) or a service call request (2)`,
  );
}
