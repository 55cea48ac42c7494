import type { z } from "zod";
import type { Names, PartFinding } from "./load/names.ts";

/** Additions of a feature to the configuration (src/features/config.ts lists the features). */
export interface ConfigFeature {
  /** Keys of the file. */
  readonly file?: z.ZodRawShape;
  /** Keys of `instance`. The feature reads them when it needs them, so that a reload takes them. */
  readonly instance?: z.ZodRawShape;
  /** Keys of a process and of a template. */
  readonly process?: z.ZodRawShape;
  /** Converts the keys of a process to their part of its definition. */
  resolveProcess?(values: never): object;
  /** The same back, in keys and values of the file; null is left out. */
  describeProcess?(definition: never): Record<string, unknown>;
  /** Checks the references of its keys to other parts of the files. */
  checkReferences?(names: Names): PartFinding[];
}
