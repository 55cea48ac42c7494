import { CLIENT_FRAME_PARTS } from "./client-frames.ts";
import type { Fields, FieldType, Tables } from "./field-types.ts";
import { ROUTE_BODIES } from "./http-routes.ts";
import { FAILED_RESULT, MANAGER_FRAMES, REQUEST_ID, SUCCEEDED_RESULT } from "./manager-frames.ts";
import { RESOURCES } from "./resources.ts";

export const TABLES: Tables = { ...RESOURCES, ...CLIENT_FRAME_PARTS, ...ROUTE_BODIES };
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}$/;

/** Names of tables that were met while checking: how a test knows that it has seen a live object of each. */
export type Seen = Set<string>;

/** What is wrong with `value`, an object as table `name` says; empty if it conforms. */
export function conforms(name: string, value: unknown, seen: Seen = new Set()): string[] {
  return checkTable(name, value, { path: name, seen });
}

/** What is wrong with a frame of the manager, by its `type`; empty if it conforms. */
export function frameConforms(frame: unknown, seen: Seen = new Set()): string[] {
  if (!isObject(frame)) return ["a frame has to be an object"];
  const { type } = frame;
  if (typeof type !== "string" || !Object.hasOwn(MANAGER_FRAMES, type)) return [`there is no manager frame of type ${show(type)}`];
  seen.add(type);
  return checkFields(fieldsOfFrame(type, frame), frame, { path: type, seen });
}

/** Whether `value` is of the type; undefined is, of an optional one. */
export function isOfType(type: FieldType, value: unknown): boolean {
  if (value === undefined) return typeof type === "object" && type.kind === "optional";
  return checkType(type, value, { path: "", seen: new Set() }).length === 0;
}

interface At {
  readonly path: string;
  readonly seen: Seen;
}

function fieldsOfFrame(type: string, frame: Readonly<Record<string, unknown>>): Fields {
  const row = MANAGER_FRAMES[type];
  const id: FieldType = type === "ack" ? REQUEST_ID : { kind: "optional", of: REQUEST_ID };
  const common: Fields = { type: "string", request_id: id };
  if (!row?.naming) return { ...common, ...row?.fields };
  if (frame.ok !== false) return { ...common, ...SUCCEEDED_RESULT, ...row.fields };
  const others = Object.entries(row.fields).map(([name, of]) => [name, { kind: "optional", of }] as const);
  return { ...common, ...FAILED_RESULT, ...Object.fromEntries(others), ok: "boolean", ...row.naming };
}

function checkTable(name: string, value: unknown, at: At): string[] {
  const fields = TABLES[name];
  if (!fields) throw new Error(`there is no table '${name}'`);
  at.seen.add(name);
  return isObject(value) ? checkFields(fields, value, at) : [`${at.path}: an object is expected, not ${show(value)}`];
}

function checkFields(fields: Fields, value: Readonly<Record<string, unknown>>, { path, seen }: At): string[] {
  const problems = Object.keys(value)
    .filter((name) => !Object.hasOwn(fields, name))
    .map((name) => `${path}.${name}: no table has this field`);
  for (const [name, type] of Object.entries(fields)) {
    const isOptional = typeof type === "object" && type.kind === "optional";
    if (Object.hasOwn(value, name)) problems.push(...checkType(type, value[name], { path: `${path}.${name}`, seen }));
    else if (!isOptional) problems.push(`${path}.${name}: the field is missing`);
  }
  return problems;
}

function checkType(type: FieldType, value: unknown, at: At): string[] {
  const expect = (holds: boolean, what: string) => (holds ? [] : [`${at.path}: ${what} is expected, not ${show(value)}`]);
  switch (type) {
    case "string":
    case "boolean":
      return expect(typeof value === type, `a ${type}`);
    case "integer":
      return expect(Number.isSafeInteger(value), "an integer");
    case "number":
      return expect(typeof value === "number" && Number.isFinite(value), "a number");
    case "timestamp":
      return expect(typeof value === "string" && TIMESTAMP.test(value) && !Number.isNaN(Date.parse(`${value}Z`)), "a timestamp");
    case "anything":
      return expect(value !== undefined, "something");
  }
  switch (type.kind) {
    case "one_of":
      return expect(
        type.values.some((allowed) => allowed === value),
        `one of ${type.values.map(show).join(", ")}`,
      );
    case "nullable":
      return value === null ? [] : checkType(type.of, value, at);
    case "optional":
      return checkType(type.of, value, at);
    case "array":
      return Array.isArray(value)
        ? value.flatMap((item, i) => checkType(type.of, item, { ...at, path: `${at.path}[${i}]` }))
        : expect(false, "an array");
    case "tuple":
      return Array.isArray(value) && value.length === type.of.length
        ? type.of.flatMap((of, i) => checkType(of, value[i], { ...at, path: `${at.path}[${i}]` }))
        : expect(false, `an array of ${type.of.length}`);
    case "map":
      return isObject(value)
        ? Object.entries(value).flatMap(([key, item]) => checkType(type.of, item, { ...at, path: `${at.path}.${key}` }))
        : expect(false, "an object");
    case "either":
      return expect(
        type.of.some((of) => checkType(of, value, at).length === 0),
        "another type",
      );
    case "table":
      return checkTable(type.name, value, at);
    case "by_field": {
      const decides = isObject(value) ? value[type.by] : undefined;
      const name = typeof decides === "string" && Object.hasOwn(type.tables, decides) ? type.tables[decides] : undefined;
      return name === undefined
        ? expect(false, `an object whose ${type.by} is one of ${Object.keys(type.tables).join(", ")}`)
        : checkTable(name, value, at);
    }
  }
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function show(value: unknown): string {
  const text = JSON.stringify(value) ?? String(value);
  return text.length > 80 ? `${text.slice(0, 77)}…` : text;
}
