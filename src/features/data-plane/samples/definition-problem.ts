import { messageOf } from "../../../base/errors.ts";
import { parseJson } from "../../../base/json.ts";
import type { TopicEncoding } from "../../../base/topic-encodings.ts";
import { messageReader, parseMessageDefinition } from "./message-definition.ts";

/** The reason why the messages of a topic cannot be decoded by its definition; null: they can be, or there is none. */
export function definitionProblem({ encoding, definition }: { encoding: TopicEncoding; definition: string }): string | null {
  if (encoding === "raw" || definition === "") return null;
  if (encoding === "json") {
    const schema = parseJson(definition);
    const isSchema = typeof schema === "boolean" || (typeof schema === "object" && schema !== null && !Array.isArray(schema));
    return isSchema ? null : "the definition is not a JSON Schema: it must be a JSON object";
  }
  try {
    messageReader(parseMessageDefinition(definition));
    return null;
  } catch (error) {
    return messageOf(error);
  }
}
