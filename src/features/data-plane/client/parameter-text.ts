import { MgrError } from "../../../base/errors.ts";

export interface ParameterTypes {
  float: number;
  int: number;
  bool: boolean;
  string: string;
}
export type ParameterType = keyof ParameterTypes;
export type ParameterValue = ParameterTypes[ParameterType];

/** Maximum length of a value of type string, characters. */
const MAX_TEXT_LENGTH = 4_096;
const FLOAT = /^[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?$/i;
const INT = /^[+-]?\d+$/;

/** The text of a value (docs/clients.md, "Parameters"). */
export function parameterText(value: ParameterValue): string {
  return String(value);
}

/** Parses the value of an override; null if the text is not a value of this type. */
export function parseParameter(type: ParameterType, text: string): ParameterValue | null {
  if (type === "string") return text.length <= MAX_TEXT_LENGTH ? text : null;
  if (type === "bool") return text === "true" ? true : text === "false" ? false : null;
  if (!(type === "int" ? INT : FLOAT).test(text)) return null;
  const value = Number(text);
  return (type === "int" ? Number.isSafeInteger(value) : Number.isFinite(value)) ? value : null;
}

/** Throws `bad_field` for an input that is not of the parameter's type. */
export function checkInput(name: string, type: ParameterType, value: unknown): void {
  const fits =
    type === "float"
      ? typeof value === "number"
      : type === "int"
        ? Number.isSafeInteger(value)
        : type === "bool"
          ? typeof value === "boolean"
          : typeof value === "string" && value.length <= MAX_TEXT_LENGTH;
  if (!fits) throw new MgrError("bad_field", `the value of the parameter '${name}' must be of type ${type}, found ${String(value)}`);
}
