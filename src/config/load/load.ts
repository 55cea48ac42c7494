import { resolve } from "node:path";
import type { z } from "zod";
import type { Config } from "../definition.ts";
import { MULTIPLY } from "../features.ts";
import type { Counts, Multiplication } from "../multiplied.ts";
import { withPlainText } from "../schema/expanded.ts";
import { ConfigError, type ConfigProblem } from "../schema/problems.ts";
import { type ConfigFile, type ConfigInput, configFileSchema, configObjectSchema, includedFileSchema } from "../schema/schema.ts";
import { findingsOf } from "../schema/schema-kinds.ts";
import { environmentVariables } from "./expand.ts";
import { fileProblem } from "./read-file.ts";
import { checkReferences } from "./references.ts";
import { type ConfigPart, resolveConfig } from "./resolve.ts";
import { includesOf, objectSource, readSources, type Source, sourceOf } from "./sources.ts";

export { ConfigError };

export interface LoadOptions {
  /** Values for `${NAME}` that no file defines; the manager's environment by default. */
  readonly environment?: Readonly<Record<string, string | undefined>>;
  /** Texts to use instead of the files on the disk, by absolute path. */
  readonly instead?: ReadonlyMap<string, string>;
  /** Whether to use files that other users than this one and root can change; otherwise they are problems. */
  readonly trustConfig?: boolean;
  /** Profiles whose files are put over the main file, the strongest last (docs/profiles.md). */
  readonly profiles?: readonly string[];
}

const FILE_FALLBACK = { name: "", manager: { host: "", port: 0 }, state_dir: null };

/** Reads, checks and resolves a configuration file and the files that it includes. Throws a ConfigError with every problem. */
export async function loadConfigFile(path: string, options: LoadOptions = {}): Promise<Config> {
  const { environment = process.env, instead, trustConfig = false, profiles = [] } = options;
  const sources = await readSources(path, { outer: environmentVariables(environment), instead, trustConfig, profiles });
  return assemble({ label: path, schema: configFileSchema, fallback: FILE_FALLBACK, profiles }, sources);
}

/** Returns a function that reads the file of `config` again, with its profiles and its current includes; undefined if there is no file. */
export function fileReader(
  { file, profiles }: Config,
  { trustConfig = false }: Pick<LoadOptions, "trustConfig"> = {},
): ((instead?: ReadonlyMap<string, string>) => Promise<Config>) | undefined {
  return file === null
    ? undefined
    : (instead) => loadConfigFile(file, { trustConfig, profiles, ...(instead === undefined ? {} : { instead }) });
}

/** Checks and resolves a single text without includes; `path` is its place, and its name in problems. */
export function parseConfigText(text: string, path: string, options: Pick<LoadOptions, "environment"> = {}): Config {
  const outer = environmentVariables(options.environment ?? process.env);
  const source = alone(sourceOf(text, { file: resolve(path), label: path }, outer));
  return assemble({ label: path, schema: configFileSchema, fallback: FILE_FALLBACK, profiles: [] }, [source]);
}

export interface ObjectOptions {
  /** Base folder of relative paths. */
  base_dir: string;
  /** Used unless the object has an `instance.state_dir`. */
  state_dir: string;
}

/** A configuration given as an object, for embedding: without an instance it is "embedded", on a free port of localhost. */
export function loadConfigObject(object: ConfigInput, options: ObjectOptions): Config {
  const source = objectSource(object, resolve(options.base_dir), environmentVariables(process.env));
  const fallback = { name: "embedded", manager: { host: "localhost", port: 0 }, state_dir: resolve(options.state_dir) };
  return assemble({ label: null, schema: configObjectSchema, fallback, profiles: [] }, [alone(source)]);
}

function alone(source: Source): Source {
  const findings = includesOf(source).map(({ path }) => ({
    path,
    message: "cannot be used here: only a configuration file can include others",
  }));
  return { ...source, problems: [...source.problems, ...findings.flatMap((finding) => present(source.locate(finding)))] };
}

type Fallback = Parameters<typeof resolveConfig>[2]["fallback"];

/** The inputs of all steps of `assemble`. */
interface Assembly extends Pick<Config, "profiles"> {
  readonly label: string | null;
  readonly schema: z.ZodType<ConfigFile>;
  readonly fallback: Fallback;
}

/** Checks and resolves sources, the main one first. Throws a ConfigError with the problems of all of them, in their order. */
function assemble(assembly: Assembly, read: readonly Source[], counts: Counts = new Map()): Config {
  const { label, schema, fallback, profiles } = assembly;
  const parts = read.map(({ value, label }) => ({ root: value, label }));
  const multiplication = MULTIPLY?.(parts, counts);
  const sources = multiplication === undefined ? read : read.map((source, part) => multipliedSource(source, multiplication, part));
  const problems = sources.map((source) => [...source.problems]);
  if (sources[0]?.value === undefined && problems[0]?.length === 0) {
    throw fileProblem(label ?? "", "is empty; it needs at least 'instance' with 'name' and 'manager'");
  }
  const [main] = sources.slice(0, 1).flatMap((source) => checked(source, schema, problems[0]));
  const included = sources.slice(1).flatMap((source, index) => checked(source, includedFileSchema, problems[index + 1]));
  // All names in files that cannot be read would be missing.
  const isComplete = sources.every(({ value }, index) => value !== undefined || problems[index]?.length === 0);
  const findings = isComplete ? checkReferences(sources.map(({ value, label }) => ({ root: withPlainText(value ?? null), label }))) : [];
  for (const { part, ...finding } of [...(multiplication?.findings ?? []), ...findings])
    problems[part]?.push(...present(sources[part]?.locate(finding)));
  const all = problems.flatMap((found) => inOrder(found, sources[0]?.overlays ?? []));
  if (main === undefined || all.length > 0) throw new ConfigError(label, all);
  const files = sources.flatMap(({ file, hash, overlays }) => (file === null ? [] : [{ file, hash }, ...overlays]));
  const hashes = new Map(files.map(({ file, hash }) => [file, hash]));
  const entries = multiplication?.entries ?? new Map();
  const multiplied = entries.size === 0 ? null : { entries, with: (other: Counts) => assemble(assembly, read, other) };
  return resolveConfig(main, included, { hashes, profiles, fallback, multiplied });
}

/** A file with several processes in the place of single ones. Problems are located where the text is in the file. */
function multipliedSource(source: Source, { values, origin }: Multiplication, part: number): Source {
  return {
    ...source,
    value: values[part],
    locate: (finding) => source.locate({ ...finding, path: origin(part, finding.path) }),
    writtenAt: (path) => source.writtenAt(origin(part, path)),
  };
}

function checked<File>(
  { value, dir, writtenAt, locate }: Source,
  schema: z.ZodType<File>,
  problems: ConfigProblem[] = [],
): ConfigPart<File>[] {
  if (value === undefined) return [];
  const result = schema.safeParse(value);
  if (result.success) return [{ config: result.data, dir, writtenAt }];
  problems.push(...findingsOf(result.error).flatMap((finding) => present(locate(finding))));
  return [];
}

/** Sorts problems by place, those of the files of profiles last. One that is found twice, in a section alone and as a part of something, is reported once. */
function inOrder(problems: readonly ConfigProblem[], overlays: Source["overlays"]): ConfigProblem[] {
  const byPlace = new Map(
    problems.map((problem) => [`${problem.file}:${problem.line}:${problem.column} ${problem.path} ${problem.message}`, problem]),
  );
  const layer = ({ file }: ConfigProblem) => overlays.findIndex(({ label }) => label === file);
  return [...byPlace.values()].sort((a, b) => layer(a) - layer(b) || a.line - b.line || a.column - b.column);
}

function present<T>(value: T | null | undefined): T[] {
  return value === null || value === undefined ? [] : [value];
}
