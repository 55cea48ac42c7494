import { messageOf } from "../../../base/errors.ts";
import { parseJson } from "../../../base/json.ts";
import type { TopicEncoding } from "../../../base/topics/topic-encodings.ts";
import { messageReader, parseMessageDefinition } from "./message-definition.ts";
import { messagesOfDescriptors } from "./protobuf-descriptors.ts";

/** Maximum number of messages that a problem lists, and of the characters of each. */
const MAX_NAMES = 10;
const MAX_NAME_CHARS = 255;

export interface NamedDefinition {
  readonly encoding: TopicEncoding;
  readonly definition: string;
  /** `protobuf`: the full name of the message. */
  readonly definitionName: string;
}

/** The reason why the messages of a topic cannot be decoded by its definition; null: they can be, or there is none. */
export function definitionProblem({ encoding, definition, definitionName }: NamedDefinition): string | null {
  if (encoding === "raw" || definition === "") return null;
  if (encoding === "json") {
    const schema = parseJson(definition);
    const isSchema = typeof schema === "boolean" || (typeof schema === "object" && schema !== null && !Array.isArray(schema));
    return isSchema ? null : "the definition is not a JSON Schema: it must be a JSON object";
  }
  try {
    if (encoding === "protobuf") return protobufProblem(definition, definitionName);
    messageReader(parseMessageDefinition(definition));
    return null;
  } catch (error) {
    return messageOf(error);
  }
}

function protobufProblem(definition: string, name: string): string | null {
  const bytes = Buffer.from(definition, "base64");
  if (bytes.toString("base64").replace(/=+$/, "") !== definition.replace(/=+$/, ""))
    return "the definition is not base64: it must be a FileDescriptorSet in base64";
  const names = messagesOfDescriptors(bytes);
  if (names.includes(name)) return null;
  const found =
    names.length === 0
      ? "none"
      : names
          .slice(0, MAX_NAMES)
          .map((each) => each.slice(0, MAX_NAME_CHARS))
          .join(", ") + (names.length > MAX_NAMES ? ", …" : "");
  return name === "" ? `the definition names no message: name one of ${found}` : `the definition has no message '${name}'; it has ${found}`;
}
