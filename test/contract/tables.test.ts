import { describe, expect, test } from "vitest";
import { TABLES } from "./check.ts";
import { CLIENT_FRAMES } from "./client-frames.ts";
import { GROUP_STATE_ORDER, STATES } from "./closed-values.ts";
import type { FieldType } from "./field-types.ts";
import { ROUTES } from "./http-routes.ts";
import { MANAGER_FRAMES } from "./manager-frames.ts";
import { NOT_YET } from "./not-yet.ts";

const routeNames = ROUTES.map(({ method, path }) => `${method} ${path}`);

describe("the tables", () => {
  test("speak only of tables that exist", () => {
    const rows = [...Object.values(TABLES), ...Object.values(MANAGER_FRAMES).map((row) => row.fields)];
    const mentioned = rows.flatMap((fields) => Object.values(fields).flatMap(tablesIn));
    expect(mentioned.filter((name) => !Object.hasOwn(TABLES, name))).toEqual([]);
  });

  test("give each client frame an answer that is a manager frame, or none", () => {
    const answers = Object.values(CLIENT_FRAMES).flatMap(({ answer }) => answer ?? []);
    expect(answers.filter((type) => !Object.hasOwn(MANAGER_FRAMES, type))).toEqual([]);
  });

  test("order the same states as there are", () => {
    expect([...GROUP_STATE_ORDER].sort()).toEqual([...STATES].sort());
  });
});

describe("the list of rows that are not there yet", () => {
  test("names rows of the tables only, each once", () => {
    const known: Record<string, readonly string[]> = {
      "manager frame": Object.keys(MANAGER_FRAMES),
      resource: Object.keys(TABLES),
      route: routeNames,
    };
    const listed = NOT_YET.map(({ kind, name }) => `${kind} ${name}`);
    expect(NOT_YET.filter(({ kind, name }) => !known[kind]?.includes(name))).toEqual([]);
    expect(listed).toHaveLength(new Set(listed).size);
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
