import { describe, expect, test } from "vitest";
import { TABLES } from "./check.ts";
import { CLIENT_FRAMES } from "./client-frames.ts";
import { GROUP_STATE_ORDER, STATES } from "./closed-values.ts";
import type { FieldType } from "./field-types.ts";
import { MANAGER_FRAMES } from "./manager-frames.ts";

describe("the tables", () => {
  test("refer only to tables that exist", () => {
    const rows = [...Object.values(TABLES), ...Object.values(MANAGER_FRAMES).map((row) => row.fields)];
    const mentioned = rows.flatMap((fields) => Object.values(fields).flatMap(tablesIn));
    expect(mentioned.filter((name) => !Object.hasOwn(TABLES, name))).toEqual([]);
  });

  test("give each client frame an answer that is a manager frame, or none", () => {
    const answers = Object.values(CLIENT_FRAMES).flatMap(({ answer }) => answer ?? []);
    expect(answers.filter((type) => !Object.hasOwn(MANAGER_FRAMES, type))).toEqual([]);
  });

  test("order exactly the states that exist", () => {
    expect([...GROUP_STATE_ORDER].sort()).toEqual([...STATES].sort());
  });
});

function tablesIn(type: FieldType): string[] {
  if (typeof type === "string") return [];
  switch (type.kind) {
    case "table":
      return [type.name];
    case "by_field":
      return Object.values(type.tables);
    case "tuple":
    case "either":
      return type.of.flatMap(tablesIn);
    case "one_of":
      return [];
    default:
      return tablesIn(type.of);
  }
}
