import { z } from "zod";

/** Why `value` does not match a JSON Schema, with the name of the field; null if it does, or if the schema cannot be checked here. */
export function jsonSchemaProblem(schema: object, value: unknown): string | null {
  const checked = check(schema, value);
  if (checked === null || checked.success) return null;
  const [issue] = checked.error.issues;
  const path = issue?.path.map((key) => (typeof key === "number" ? `[${key}]` : `.${String(key)}`)).join("") ?? "";
  return `${path.replace(/^\./, "") || "the value"}: ${(issue?.message ?? "does not fit").replace(/^Invalid input: /, "")}`;
}

function check(schema: object, value: unknown): z.ZodSafeParseResult<unknown> | null {
  try {
    return z.fromJSONSchema(schema as Parameters<typeof z.fromJSONSchema>[0]).safeParse(value);
  } catch {
    // A definition may contain keywords that the checker does not know.
    return null;
  }
}
