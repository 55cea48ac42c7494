import type { z } from "zod";
import type { FeatureProbe } from "../contract/run.ts";
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

type ProbeKeys<Place extends "ready" | "alive"> = Together<
  Feature extends infer One ? (One extends { probe: Record<Place, infer Own> } ? Own : never) : never
>;
const probes = features.flatMap(({ probe }) => probe ?? []);

/** Keys of the features' probes, in `ready` and in `alive`. */
export const READY_KEYS: ProbeKeys<"ready"> = Object.assign({}, ...probes.map(({ ready }) => ready));
export const ALIVE_KEYS: ProbeKeys<"alive"> = Object.assign({}, ...probes.map(({ alive }) => alive));
/** The kinds of probes, each with the key that selects it, and all of its keys. */
export const PROBE_KINDS = probes.map(({ key, ready, alive }) => ({ key, keys: new Set([...Object.keys(ready), ...Object.keys(alive)]) }));

export function toFeatureProbe(values: object): FeatureProbe | null {
  for (const probe of probes) {
    const read = probe.toProbe(values as never);
    if (read !== null) return read;
  }
  return null;
}

export function describeFeatureProbe(probe: FeatureProbe, place: "ready" | "alive"): Record<string, unknown> {
  // The key that selects a probe is also its kind.
  return probes.find(({ key }) => key === (probe as { kind: string }).kind)?.describe(probe, place) ?? {};
}

/** Sentences about the conditions of dependencies that features add. */
export const CONDITIONS_TEXT = features.map(({ condition }) => (condition === undefined ? "" : ` ${condition}`)).join("");

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
