/**
 * The notation of the tables in this folder. They are transcribed by hand from the protocol's documents and import
 * nothing of src/: they are what the schemas there are judged by.
 */
export type FieldType =
  | "string"
  | "integer"
  | "number"
  | "boolean"
  /** `2026-11-21T08:14:02.123`: UTC, milliseconds, no zone. */
  | "timestamp"
  /** The documents do not show what is in it; it has to be there. */
  | "anything"
  | { readonly kind: "one_of"; readonly values: readonly (string | null)[] }
  | { readonly kind: "nullable"; readonly of: FieldType }
  | { readonly kind: "optional"; readonly of: FieldType }
  | { readonly kind: "array"; readonly of: FieldType }
  | { readonly kind: "tuple"; readonly of: readonly FieldType[] }
  | { readonly kind: "map"; readonly of: FieldType }
  | { readonly kind: "either"; readonly of: readonly FieldType[] }
  /** An object as another table says, by name. */
  | { readonly kind: "table"; readonly name: string }
  /** An object as one of several tables says; the value of field `by` decides which. */
  | { readonly kind: "by_field"; readonly by: string; readonly tables: Readonly<Record<string, string>> };

export type Fields = Readonly<Record<string, FieldType>>;
export type Tables = Readonly<Record<string, Fields>>;

export const oneOf = (...values: (string | null)[]): FieldType => ({ kind: "one_of", values });
export const nullable = (of: FieldType): FieldType => ({ kind: "nullable", of });
export const optional = (of: FieldType): FieldType => ({ kind: "optional", of });
export const arrayOf = (of: FieldType): FieldType => ({ kind: "array", of });
export const tuple = (...of: FieldType[]): FieldType => ({ kind: "tuple", of });
export const mapOf = (of: FieldType): FieldType => ({ kind: "map", of });
export const either = (...of: FieldType[]): FieldType => ({ kind: "either", of });
export const table = (name: string): FieldType => ({ kind: "table", name });
export const byField = (by: string, tables: Record<string, string>): FieldType => ({ kind: "by_field", by, tables });
