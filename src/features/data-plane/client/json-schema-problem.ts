import { z } from "zod";
import { firstIssue } from "../../../base/errors.ts";

/** The reason why `value` does not match a JSON Schema, with the field; null if it matches, or if the schema cannot be checked here. */
export function jsonSchemaProblem(schema: object, value: unknown): string | null {
  const checked = check(schema, value);
  return checked === null || checked.success ? null : firstIssue(checked.error, "the value");
}

function check(schema: object, value: unknown): z.ZodSafeParseResult<unknown> | null {
  try {
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(value);
  } catch {
    // A definition may contain keywords that the checker does not know.
    return null;
  }
}
