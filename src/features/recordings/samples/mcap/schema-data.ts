import type { Schema } from "@mcap/core";

/** The data of a schema in a file: text, but the bytes of a FileDescriptorSet, which topics have as base64. */
export function schemaData(encoding: string, text: string): Uint8Array {
  return encoding === "protobuf" ? Buffer.from(text, "base64") : new TextEncoder().encode(text);
}

/** The definition of a topic, from the schema of its channel; "": there is none. */
export function schemaText(schema: Pick<Schema, "encoding" | "data"> | undefined): string {
  if (schema === undefined) return "";
  const { encoding, data } = schema;
  return encoding === "protobuf" ? Buffer.from(data).toString("base64") : new TextDecoder().decode(data);
}
