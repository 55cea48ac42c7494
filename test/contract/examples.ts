import { FEATURE_CONTRACTS } from "../features/contract.ts";
import { TABLES } from "./check.ts";
import type { Fields, FieldType } from "./field-types.ts";
import { merged } from "./rows.ts";

/** By client frame, values that a field takes where an example of its type is refused. */
export const TAKEN = merged<Readonly<Record<string, unknown>>>([
  { send_signal: { signal: "SIGHUP" } },
  ...FEATURE_CONTRACTS.map(({ taken }) => taken),
]);

/** A value of the type, with every field of every object in it. */
export function exampleOf(type: FieldType): unknown {
  switch (type) {
    case "string":
      return "an example";
    case "integer":
      return 7;
    case "number":
      return 2.5;
    case "boolean":
      return true;
    case "timestamp":
      return "2026-11-21T08:14:02.123";
    case "anything":
      return null;
  }
  switch (type.kind) {
    case "one_of":
      return type.values[0];
    case "nullable":
    case "optional":
      return exampleOf(type.of);
    case "array":
      return [exampleOf(type.of)];
    case "tuple":
      return type.of.map(exampleOf);
    case "map":
      return { "an example": exampleOf(type.of) };
    case "either":
      return type.of[0] === undefined ? null : exampleOf(type.of[0]);
    case "table":
      return exampleOfFields(TABLES[type.name] ?? {});
    case "by_field": {
      // The last: the first may contain itself without end (a group in a group).
      const last = Object.values(type.tables).at(-1) ?? "";
      return exampleOfFields(TABLES[last] ?? {});
    }
  }
}

export function exampleOfFields(fields: Fields): Record<string, unknown> {
  return Object.fromEntries(Object.entries(fields).map(([name, type]) => [name, exampleOf(type)]));
}

/** Values that are not of the type: what a careless or hostile program would send. */
export function wrongValuesOf(type: FieldType): unknown[] {
  switch (type) {
    case "string":
      return [null, 7, true, [], {}];
    case "integer":
      return [null, "7", 7.5, true, [], {}];
    case "number":
      return [null, "7", true, [], {}];
    case "boolean":
      return [null, 0, "true", [], {}];
    case "timestamp":
      return [null, 7, "", "2026-11-21T08:14:02.123Z", "2026-11-21T08:14:02", "yesterday"];
    case "anything":
      return [];
  }
  switch (type.kind) {
    case "one_of":
      return [7, true, [], {}, "something else", "__proto__"];
    case "nullable":
      return wrongValuesOf(type.of).filter((value) => value !== null);
    case "optional":
      return wrongValuesOf(type.of);
    case "array":
      return [null, 7, "x", {}, ...wrongValuesOf(type.of).map((item) => [item])];
    case "tuple":
      return [null, 7, "x", {}, []];
    case "map":
      return [null, 7, "x", ...wrongValuesOf(type.of).map((item) => ({ key: item }))];
    case "either":
      return [null, true, [], {}];
    case "table":
    case "by_field":
      return [null, 7, "x", [], {}];
  }
}
