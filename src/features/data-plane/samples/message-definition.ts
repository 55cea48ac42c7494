import rosmsg from "@foxglove/rosmsg";
import rosmsg2 from "@foxglove/rosmsg2-serialization";
import { MgrError, messageOf } from "../../../base/errors.ts";

export type MessageDefinition = ReturnType<typeof rosmsg.parse>[number];
export type MessageDefinitionField = MessageDefinition["definitions"][number];

/** Maximum length of a definition, characters. */
const MAX_DEFINITION_LENGTH = 256 * 1024;

/**
 * Parses the definition of a ROS 2 message. The message itself has no name or is the first one; the messages that it uses have names.
 * Throws `bad_field`.
 */
export function parseMessageDefinition(text: string): MessageDefinition[] {
  if (text.length > MAX_DEFINITION_LENGTH)
    throw new MgrError("bad_field", `the message definition has ${text.length} characters; at most ${MAX_DEFINITION_LENGTH} are allowed`);
  return understood(() => rosmsg.parse(text, { ros2: true }));
}

/** Returns the function that reads CDR; it throws `bad_field` for bytes that do not match the definition. */
export function messageReader(definitions: MessageDefinition[]): (data: Uint8Array) => unknown {
  const reader = understood(() => new rosmsg2.MessageReader(definitions));
  return (data) => {
    try {
      return reader.readMessage(data);
    } catch (cause) {
      throw new MgrError("bad_field", `the message does not fit the definition of its topic: ${messageOf(cause)}`, { cause });
    }
  };
}

function understood<T>(parse: () => T): T {
  try {
    return parse();
  } catch (cause) {
    throw new MgrError("bad_field", `the message definition is not a ROS 2 message: ${messageOf(cause)}`, { cause });
  }
}
