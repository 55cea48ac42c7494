import type { z } from "zod";
import { CONFIG_FEATURES } from "../features/config.ts";
import type { ConfigFeature } from "./config-feature.ts";
import type { Multiply } from "./multiplied.ts";

/** The additions of all features to the configuration, put together. */
type Feature = (typeof CONFIG_FEATURES)[keyof typeof CONFIG_FEATURES];
type Together<Part> = Record<never, never> &
  ((Part extends unknown ? (part: Part) => void : never) extends (part: infer All) => void ? All : never);
type Keys<Kind extends keyof ConfigFeature> = Together<
  Feature extends infer One ? (One extends Record<Kind, infer Own> ? Own : never) : never
>;

const features: readonly ConfigFeature[] = Object.values(CONFIG_FEATURES);

export const FILE_KEYS: Keys<"file"> = Object.assign({}, ...features.map(({ file }) => file));
export const INSTANCE_KEYS: Keys<"instance"> = Object.assign({}, ...features.map(({ instance }) => instance));
export const SHARED_KEYS: Keys<"shared"> = Object.assign({}, ...features.map(({ shared }) => shared));
export const PROCESS_KEYS: Keys<"process"> & Keys<"shared"> = Object.assign({}, ...features.map(({ process }) => process), SHARED_KEYS);

export const SECRET_KEYS: ReadonlySet<string> = new Set(features.flatMap(({ secretKeys }) => secretKeys ?? []));

export const FEATURE_CHECKS = features.flatMap(({ checkReferences }) => checkReferences ?? []);

/** Null: no feature multiplies processes. */
export const MULTIPLY: Multiply | null = features.find(({ multiply }) => multiply !== undefined)?.multiply ?? null;

/** Zod would infer an index signature from a shape without keys. */
type Values<Shape extends z.ZodRawShape> = keyof Shape extends never ? Record<never, never> : z.output<z.ZodObject<Shape>>;

/** Values of the features' keys of a file. */
export type FileParts = Readonly<Values<typeof FILE_KEYS>>;

/** Picks the features' keys of a file. */
export function fileParts(file: FileParts): FileParts {
  return Object.fromEntries(Object.keys(FILE_KEYS).map((key) => [key, file[key as keyof FileParts]])) as FileParts;
}

/** The part of a process's definition that features have. */
export type ProcessParts = Together<
  Feature extends infer One ? (One extends { resolveProcess(values: never): infer Own } ? Own : never) : never
>;

export function resolveProcessParts(last: (key: keyof typeof PROCESS_KEYS) => unknown): ProcessParts {
  const values = Object.fromEntries((Object.keys(PROCESS_KEYS) as (keyof typeof PROCESS_KEYS)[]).map((key) => [key, last(key)]));
  return Object.assign({}, ...features.map((feature) => feature.resolveProcess?.(values as never)));
}

/** Keys of a definition that take effect without a restart of the process. */
export const APPLIED_AT_ONCE: ReadonlySet<string> = new Set(features.flatMap(({ appliedAtOnce }) => appliedAtOnce ?? []));

export function describeProcessParts(definition: ProcessParts): Record<string, unknown> {
  return Object.assign({}, ...features.map((feature) => feature.describeProcess?.(definition as never)));
}
