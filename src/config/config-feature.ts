import type { z } from "zod";
import type { FeatureProbe } from "../contract/run.ts";
import type { Names, PartFinding } from "./load/names.ts";
import type { Multiply } from "./multiplied.ts";

/** A kind of probe for `ready` and `alive`. */
export interface ConfigProbe {
  /** The key that selects it. */
  readonly key: string;
  /** Keys of a ready condition and of a liveness check: `key`, and those that work with it. */
  readonly ready: z.ZodRawShape;
  readonly alive: z.ZodRawShape;
  /** Converts the values of these keys; null: `key` is not among them. */
  toProbe(values: never): FeatureProbe | null;
  /** Converts a probe back to keys and values of the file. */
  describe(probe: FeatureProbe, place: "ready" | "alive"): Record<string, unknown>;
}

/** Additions of a feature to the configuration (src/features/config.ts lists the features). */
export interface ConfigFeature {
  /** Keys of the file. */
  readonly file?: z.ZodRawShape;
  /** Keys of `instance`. The feature reads them when it needs them, so that a reload changes them. */
  readonly instance?: z.ZodRawShape;
  /** Keys, at any depth, whose values are not shown in copies of the configuration for others (`src/config/redact.ts`). */
  readonly secretKeys?: readonly string[];
  /** Keys of a process, of a template and of 'defaults'. */
  readonly shared?: z.ZodRawShape;
  /** Keys of a process and of a template. */
  readonly process?: z.ZodRawShape;
  /** Converts the keys of a process to their part of its definition. */
  resolveProcess?(values: never): object;
  /** Keys of that part that take effect in a running process without a restart: the feature applies them when the configuration changes. */
  readonly appliedAtOnce?: readonly string[];
  /** Converts that part back to keys and values of the file; null is omitted. */
  describeProcess?(definition: never): Record<string, unknown>;
  /** Puts several processes in the place of entries of 'processes', before names and values are checked. Of one feature at most. */
  readonly multiply?: Multiply;
  readonly probe?: ConfigProbe;
  /** A sentence about the condition of a dependency that it adds (`FEATURE_CONDITIONS` of src/features/contract.ts). */
  readonly condition?: string;
  /** Checks the references of its keys to other parts of the files. */
  checkReferences?(names: Names): PartFinding[];
}
