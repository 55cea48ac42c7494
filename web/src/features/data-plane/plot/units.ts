import { parseFieldPath } from "../../../../../src/features/data-plane/field-path.ts";

/** Matches a comment that is a unit: one short word, such as `rad`, `m/s^2` or `°C`, perhaps in brackets. */
const UNIT_COMMENT = /#\s*[[(]?([^\s#[\]()]{1,12})[\])]?\s*$/;
const FIELD_LINE = /^\s*[\w/]+(?:\[[^\]]*\])?\s+(\w+)/;

/**
 * Unit of a field from the definition of its topic: `unit` in a JSON Schema, the comment behind the field in a ROS message; null if there is
 * none.
 */
export function unitOf(definition: string, field: string): string | null {
  const path = parseFieldPath(field) ?? [];
  if (definition.trimStart().startsWith("{")) return unitOfSchema(definition, path);
  const name = path.findLast((step) => typeof step === "string");
  // The definitions of nested messages follow below a line of "=".
  const line = definition.split("\n").find((one) => FIELD_LINE.exec(one)?.[1] === name);
  return UNIT_COMMENT.exec(line ?? "")?.[1] ?? null;
}

interface Schema {
  unit?: unknown;
  properties?: Record<string, Schema>;
  items?: Schema;
}

function unitOfSchema(definition: string, path: readonly (string | number)[]): string | null {
  try {
    let at: Schema | undefined = JSON.parse(definition) as Schema;
    let unit: unknown;
    for (const step of path) {
      at = typeof step === "number" ? at?.items : at?.properties?.[step];
      unit = at?.unit ?? (typeof step === "number" ? unit : undefined);
    }
    if (path.length === 0) unit = at?.unit;
    return typeof unit === "string" && unit !== "" ? unit : null;
  } catch {
    return null; // It is not JSON.
  }
}
