import { parseJson } from "../../../../base/json.ts";
import { type FieldPath, fieldAt, fieldPathText, numberOf } from "../../../data-plane/field-path.ts";
import { jsonText } from "../../../data-plane/samples/json-text.ts";
import type { Column, Element } from "./column.ts";

/** Maximum number of columns. With more, the whole message becomes one column of JSON text. */
const MAX_COLUMNS = 1_000;
const MAX_DEPTH = 32;
const MIN_INT64 = -(2n ** 63n);
const MAX_INT64 = 2n ** 63n - 1n;

type Kind = "number" | "special" | "bool" | "text" | "other";
interface Leaf {
  readonly path: FieldPath;
  /** Number of samples that have the field. */
  seen: number;
  readonly scalars: Set<Kind>;
  readonly elements: Set<Kind>;
  /** Lengths of the lists. */
  readonly lengths: Set<number>;
  /** Whether all values are 64-bit integers. */
  isInteger: boolean;
}

/** Finds the columns of JSON messages by examining all of them. If the values do not determine a type, the JSON Schema does. */
export class JsonColumns {
  readonly #leaves = new Map<string, Leaf>();
  readonly #schema: unknown;
  #messages = 0;
  #isTooWide = false;

  constructor(definition: string) {
    this.#schema = parseJson(definition);
  }

  add(message: unknown): void {
    this.#messages++;
    if (!this.#isTooWide) this.#walk(message, []);
  }

  columns(): Column[] {
    if (this.#messages === 0) return declaredColumns(this.#schema, []).slice(0, MAX_COLUMNS);
    if (this.#isTooWide) return [{ name: "message", element: "string", shape: "scalar", at: jsonText }];
    return [...this.#leaves.values()].map((leaf) => this.#column(leaf));
  }

  #walk(value: unknown, path: FieldPath): void {
    if (typeof value === "object" && value !== null && !Array.isArray(value) && path.length < MAX_DEPTH) {
      const entries = Object.entries(value);
      if (entries.length > 0) {
        for (const [key, field] of entries) this.#walk(field, [...path, key]);
        return;
      }
    }
    const name = fieldPathText(path);
    let leaf = this.#leaves.get(name);
    if (!leaf) {
      this.#isTooWide = this.#leaves.size >= MAX_COLUMNS;
      if (this.#isTooWide) return;
      leaf = { path, seen: 0, scalars: new Set(), elements: new Set(), lengths: new Set(), isInteger: true };
      this.#leaves.set(name, leaf);
    }
    if (value === null) return;
    leaf.seen++;
    leaf.isInteger &&= integerOf(value) !== null;
    if (!Array.isArray(value)) leaf.scalars.add(kindOf(value));
    else {
      // Two lengths are enough to know that they differ.
      if (leaf.lengths.size < 2) leaf.lengths.add(value.length);
      for (const element of value) leaf.elements.add(kindOf(element));
    }
  }

  #column(leaf: Leaf): Column {
    const { path, scalars, elements, lengths } = leaf;
    const name = path.length === 0 ? "value" : fieldPathText(path);
    const isComplete = leaf.seen === this.#messages;
    const at = path.length === 0 ? (message: unknown) => message : (message: unknown) => fieldAt(message, path) ?? null;
    const declared = declaredType(this.#schema, path);
    const asText: Column = { name, element: "string", shape: "scalar", at: (message) => textOf(at(message)) };
    if (lengths.size > 0) {
      const element = elementOf(elements, true, null);
      if (scalars.size > 0 || element === null) return asText;
      const [length = 0] = lengths;
      return {
        name,
        element,
        shape: lengths.size === 1 && length > 0 && isComplete ? length : "variable",
        at: (m) => listOf(at(m), element),
      };
    }
    if (declared === "integer" && leaf.isInteger && isComplete)
      return { name, element: "int64", shape: "scalar", at: (m) => integerOf(at(m)) };
    const element = elementOf(scalars, isComplete, declared);
    if (element === null) return asText;
    return { name, element, shape: "scalar", at: element === "string" ? at : (message) => numberOf(at(message)) };
  }
}

/** Null if the values are of different kinds. */
function elementOf(kinds: ReadonlySet<Kind>, isComplete: boolean, declared: unknown): Element | null {
  if (kinds.has("other")) return null;
  if (kinds.has("text")) return kinds.has("number") || kinds.has("bool") ? null : "string";
  if (kinds.has("bool")) return kinds.size > 1 ? null : isComplete ? "bool" : "float64";
  if (kinds.has("special") && !kinds.has("number")) return declared === "number" || declared === "integer" ? "float64" : "string";
  return "float64";
}

function kindOf(value: unknown): Kind {
  if (typeof value === "number") return "number";
  if (typeof value === "boolean") return "bool";
  if (typeof value === "string") return numberOf(value) === null ? "text" : "special";
  return "other";
}

function integerOf(value: unknown): bigint | null {
  if (typeof value === "number") return Number.isSafeInteger(value) ? BigInt(value) : null;
  if (typeof value !== "string" || !/^-?\d{1,20}$/.test(value)) return null;
  const exact = BigInt(value);
  return exact >= MIN_INT64 && exact <= MAX_INT64 ? exact : null;
}

function textOf(value: unknown): string | null {
  return value === null || typeof value === "string" ? value : jsonText(value);
}

function listOf(value: unknown, element: Element): unknown {
  if (!Array.isArray(value) || element === "string" || value.every(isNumber)) return value;
  return value.map(numberOf);
}

function isNumber(value: unknown): boolean {
  return typeof value === "number";
}

/** The columns that a JSON Schema declares, if there are no messages yet. */
function declaredColumns(schema: unknown, path: readonly string[]): Column[] {
  const properties = fieldAt(schema, ["properties"]);
  if (typeof properties === "object" && properties !== null && path.length < MAX_DEPTH)
    return Object.entries(properties).flatMap(([key, property]) => declaredColumns(property, [...path, key]));
  if (path.length === 0) return [];
  const element = DECLARED_ELEMENTS.get(fieldAt(schema, ["type"])) ?? "string";
  return [{ name: fieldPathText(path), element, shape: "scalar", at: () => null }];
}

const DECLARED_ELEMENTS: ReadonlyMap<unknown, Element> = new Map([
  ["number", "float64"],
  ["integer", "int64"],
  ["boolean", "bool"],
]);

function declaredType(schema: unknown, path: FieldPath): unknown {
  let at = schema;
  for (const step of path) at = fieldAt(at, ["properties", step]);
  return fieldAt(at, ["type"]);
}
