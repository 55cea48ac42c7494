import { z } from "zod";
import { firstIssue } from "../../../base/errors.ts";

/** The reason why `value` does not match a JSON Schema, with the field; null if it matches, or if the schema cannot be checked here. */
export function jsonSchemaProblem(schema: object, value: unknown): string | null {
  return jsonSchemaCheck(schema)(value);
}

/** As `jsonSchemaProblem`, for many values. */
export function jsonSchemaCheck(schema: object): (value: unknown) => string | null {
  const checker = checkerOf(schema);
  if (checker === null) return () => null;
  return (value) => {
    const checked = checker.safeParse(value);
    return checked.success ? null : firstIssue(checked.error, "the value");
  };
}

function checkerOf(schema: object): z.ZodType | null {
  try {
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]);
  } catch {
    // A definition may contain keywords that the checker does not know.
    return null;
  }
}
