import { fieldAt } from "../../../data-plane/field-path.ts";
import { jsonText } from "../../../data-plane/samples/json-text.ts";
import type { MessageDefinition, MessageDefinitionField } from "../../../data-plane/samples/message-definition.ts";
import { type Column, ELEMENT_BYTES, type NumericElement } from "./column.ts";

/** The fields of a ROS 2 message. Structures become one column per field; lists of structures become JSON text. */
export function cdrColumns(definitions: readonly MessageDefinition[]): Column[] {
  const root = definitions.find(({ definitions: fields }) => fields.length === 0 || !fields.every(({ isConstant }) => isConstant));
  const types = new Map(definitions.map(({ name, definitions: fields }) => [name ?? "", fields]));
  const walk = (fields: readonly MessageDefinitionField[], above: readonly string[]): Column[] =>
    fields
      .filter(({ isConstant }) => !isConstant)
      .flatMap((field) => {
        const path = [...above, field.name];
        return field.isComplex && !field.isArray ? walk(types.get(field.type) ?? [], path) : [columnOf(field, path)];
      });
  return walk(root?.definitions ?? [], []);
}

function columnOf({ type, isArray, isComplex, arrayLength }: MessageDefinitionField, path: readonly string[]): Column {
  const name = path.join(".");
  const at = (message: unknown) => fieldAt(message, path);
  if (isComplex) return { name, element: "string", shape: "scalar", at: (message) => jsonText(at(message)) };
  const shape = isArray ? (arrayLength ?? "variable") : "scalar";
  if (type !== "time" && type !== "duration") return { name, element: isNumberType(type) ? type : "string", shape, at };
  const inNs = shape === "scalar" ? nanoseconds : (list: unknown) => Array.from(list as ArrayLike<unknown>, nanoseconds);
  return { name, element: "int64", shape, at: (message) => inNs(at(message)) };
}

function isNumberType(type: string): type is NumericElement {
  return Object.hasOwn(ELEMENT_BYTES, type);
}

function nanoseconds(time: unknown): bigint {
  const { sec, nanosec } = time as { sec: number; nanosec: number };
  return BigInt(sec) * 1_000_000_000n + BigInt(nanosec);
}
