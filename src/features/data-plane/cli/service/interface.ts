import { parseJson } from "../../../../base/json.ts";
import type { Kind } from "../../../../cli/manager/select.ts";
import type { Service } from "../../wire/service.ts";

export const SERVICE: Kind = { word: "service", list: "mgr service list" };

export interface Endpoint {
  readonly name: string;
  readonly description: string;
  /** JSON Schemas; undefined if the provider does not publish them. */
  readonly request: unknown;
  readonly response: unknown;
}

/** The interface of a service, as far as its provider publishes it (docs/clients.md, "Services"). */
export function interfaceOf({ interface: text }: Pick<Service, "interface">): { name: string; endpoints: readonly Endpoint[] } {
  const shape = objectOf(parseJson(text));
  return {
    name: textOf(shape.name),
    endpoints: Object.entries(objectOf(shape.endpoints)).map(([name, value]) => {
      const { request, response, description } = objectOf(value);
      return { name, request, response, description: textOf(description) };
    }),
  };
}

function objectOf(value: unknown): Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? (value as Record<string, unknown>) : {};
}

function textOf(value: unknown): string {
  return typeof value === "string" ? value : "";
}
