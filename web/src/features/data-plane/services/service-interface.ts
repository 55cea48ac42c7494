import { parseJson } from "../../../../../src/base/json.ts";
import type { Service } from "../../../../../src/features/data-plane/wire/service.ts";

/** The endpoints of a service from its metadata (docs/clients.md, "Services"), which may contain anything. */
export interface ServiceInterface {
  readonly name: string;
  readonly endpoints: readonly Endpoint[];
}
export interface Endpoint {
  readonly name: string;
  readonly description: string;
  readonly request: unknown;
  readonly response: unknown;
}

export function interfaceOf({ interface: text }: Pick<Service, "interface">): ServiceInterface {
  const value = recordOf(parseJson(text));
  if (value === null) return { name: text, endpoints: [] };
  const endpoints = Object.entries(recordOf(value.endpoints) ?? {}).map(([name, given]) => {
    const { description, request, response } = recordOf(given) ?? {};
    return { name, description: typeof description === "string" ? description : "", request: request ?? null, response: response ?? null };
  });
  return { name: typeof value.name === "string" ? value.name : "", endpoints };
}

export const interfaceName = (service: Pick<Service, "interface">): string => interfaceOf(service).name;

/** An example of a request that fits a JSON Schema, for the user to edit. */
export function exampleOf(schema: unknown, depth = 0): unknown {
  const given = recordOf(schema);
  if (given === null || depth > 6) return {};
  if ("default" in given) return given.default;
  if (Array.isArray(given.enum) && given.enum.length > 0) return given.enum[0];
  const type = Array.isArray(given.type) ? given.type[0] : given.type;
  if (type === "number" || type === "integer") return typeof given.minimum === "number" ? Math.max(0, given.minimum) : 0;
  if (type === "string") return "";
  if (type === "boolean") return false;
  if (type === "null") return null;
  if (type === "array") {
    const least = typeof given.minItems === "number" ? Math.min(given.minItems, 16) : 0;
    return Array.from({ length: least }, () => exampleOf(given.items, depth + 1));
  }
  const { required } = given;
  const shownFields = Object.entries(recordOf(given.properties) ?? {}).filter(
    ([key]) => !Array.isArray(required) || required.includes(key),
  );
  return Object.fromEntries(shownFields.map(([key, below]) => [key, exampleOf(below, depth + 1)]));
}

function recordOf(value: unknown): Readonly<Record<string, unknown>> | null {
  return value !== null && typeof value === "object" && !Array.isArray(value) ? (value as Record<string, unknown>) : null;
}
