import { text } from "../../config/schema/schema-values.ts";

/** A tag of a process in the configuration. */
export const tag = text("a word of 1 to 64 letters, digits or . _ -", (value) =>
  /^[\w.-]{1,64}$/.test(value) ? null : `must be 1 to 64 letters, digits or . _ -, found '${value}'`,
);
