import { z } from "zod";
import { CLIENT_FRAMES, MANAGER_FRAMES } from "./frames.ts";

/** A JSON Schema, with the keywords that this protocol uses. */
export interface JsonSchema {
  type?: string | string[];
  description?: string;
  const?: unknown;
  enum?: unknown[];
  minimum?: number;
  maximum?: number;
  minLength?: number;
  maxLength?: number;
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
  prefixItems?: JsonSchema[];
  additionalProperties?: JsonSchema;
  anyOf?: JsonSchema[];
  oneOf?: JsonSchema[];
  $ref?: string;
  $defs?: Record<string, JsonSchema>;
  [keyword: string]: unknown;
}

export const CLIENT_FRAME_PREFIX = "client.";
export const MANAGER_FRAME_PREFIX = "manager.";

/**
 * All frames and resources as one JSON Schema (2020-12). Resources are in `$defs` by name, frames as `client.<type>` and `manager.<type>`,
 * all of them as `ClientFrame` and `ManagerFrame`.
 */
export function protocolJsonSchema(): JsonSchema {
  const schema = z.toJSONSchema(z.object({ client: schemasOf(CLIENT_FRAMES), manager: schemasOf(MANAGER_FRAMES) }), {
    io: "input",
  }) as JsonSchema;
  const clientFrames = prefixed(CLIENT_FRAME_PREFIX, schema.properties?.client);
  const managerFrames = prefixed(MANAGER_FRAME_PREFIX, schema.properties?.manager);
  return {
    $schema: "https://json-schema.org/draft/2020-12/schema",
    title: "Frames of the manager's WebSocket protocol",
    description: "One JSON object in a text frame. Both sides ignore unknown keys.",
    anyOf: [{ $ref: "#/$defs/ClientFrame" }, { $ref: "#/$defs/ManagerFrame" }],
    $defs: {
      ClientFrame: oneOfThem("What a client sends.", clientFrames),
      ManagerFrame: oneOfThem("What the manager sends.", managerFrames),
      ...sorted(schema.$defs ?? {}),
      ...clientFrames,
      ...managerFrames,
    },
  };
}

function schemasOf(table: Readonly<Record<string, { schema: z.ZodType }>>): z.ZodType {
  return z.object(Object.fromEntries(Object.entries(table).map(([type, { schema }]) => [type, schema])));
}

function prefixed(prefix: string, group: JsonSchema | undefined): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(group?.properties ?? {}).map(([type, schema]) => [prefix + type, schema]));
}

function sorted(schemas: Record<string, JsonSchema>): Record<string, JsonSchema> {
  return Object.fromEntries(Object.entries(schemas).sort(([a], [b]) => (a < b ? -1 : 1)));
}

function oneOfThem(description: string, frames: Record<string, JsonSchema>): JsonSchema {
  return { description, oneOf: Object.keys(frames).map((name) => ({ $ref: `#/$defs/${name}` })) };
}
