/** The parts of JSON Schema that the configuration's published schema uses. */
export interface Schema {
  type?: string | string[];
  description?: string;
  properties?: Record<string, Schema>;
  patternProperties?: Record<string, Schema>;
  additionalProperties?: boolean | Schema;
  items?: Schema;
  anyOf?: Schema[];
  enum?: unknown[];
  const?: unknown;
  default?: unknown;
}

/** The schema and its alternatives (`anyOf`). */
export function variants(schema: Schema): Schema[] {
  return [schema, ...(schema.anyOf ?? []).flatMap(variants)];
}

/** The schemas that apply to a value at `path`; list items are named "[]". */
export function schemasAt(root: Schema, path: readonly string[]): Schema[] {
  let found = variants(root);
  for (const step of path) {
    found = found.flatMap((schema) => {
      const next = step === "[]" ? schema.items : childSchema(schema, step);
      return next ? variants(next) : [];
    });
  }
  return found;
}

function childSchema(schema: Schema, key: string): Schema | undefined {
  if (schema.properties && Object.hasOwn(schema.properties, key)) return schema.properties[key];
  return typeof schema.additionalProperties === "object" ? schema.additionalProperties : undefined;
}

/** Keys that a mapping at `path` may have, with what they mean. */
export function keysAt(root: Schema, path: readonly string[]): { key: string; description: string }[] {
  const found = new Map<string, string>();
  for (const { properties } of schemasAt(root, path)) {
    for (const [key, { description }] of Object.entries(properties ?? {})) found.set(key, description ?? "");
  }
  return [...found].map(([key, description]) => ({ key, description }));
}

/** The values that the schema lists for `path`. */
export function valuesAt(root: Schema, path: readonly string[]): string[] {
  const found = schemasAt(root, path).flatMap((schema) => {
    if (schema.enum) return schema.enum.map(String);
    if (schema.const !== undefined) return [String(schema.const)];
    return [schema.type].flat().includes("boolean") ? ["true", "false"] : [];
  });
  return [...new Set(found)];
}
