import { realpath } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { MgrError } from "../../base/errors.ts";
import { visible } from "../../base/visible-text.ts";
import { hashOf } from "../edit-file.ts";
import { withPlainText } from "../schema/expanded.ts";
import { ConfigError, type ConfigProblem, type Finding, formatKeyPath, type KeyPath } from "../schema/problems.ts";
import { entriesOf } from "../schema/schema-kinds.ts";
import { type ExpandedFile, expandFile, type VariableScope } from "./expand.ts";
import { filesMatching } from "./glob.ts";
import { MAX_FILE_BYTES, readConfigText } from "./read-file.ts";
import { readYaml } from "./yaml-source.ts";

const MAX_FILES = 1_000;
const MAX_TOTAL_BYTES = 16 * MAX_FILE_BYTES;

/** A file (or the object of an embedding program) that was read but not yet checked against the schema. */
export interface Source {
  /** Absolute path of the file; null for an object. */
  readonly file: string | null;
  /** Hash of the file's text. */
  readonly hash: string;
  /** The file's name in problems. */
  readonly label: string;
  /** Absolute folder to which its relative paths refer. */
  readonly dir: string;
  /** Expanded values; undefined for an empty file, and if nothing in it can be checked. */
  readonly value: unknown;
  /** Problems found so far. */
  readonly problems: readonly ConfigProblem[];
  readonly scope: VariableScope;
  /** Adds the place to a finding. Null for a finding about a part for which YAML itself failed, which is already reported. */
  locate(finding: Finding): ConfigProblem | null;
  writtenAt(path: KeyPath): string | undefined;
}

/** The source of a file's text; `label` is the file's name in problems. */
export function sourceOf(text: string, place: { file: string; label: string }, outer: VariableScope): Source {
  const { file, label } = place;
  const yaml = readYaml(text.startsWith("\uFEFF") ? text.slice(1) : text, label);
  const locate = (finding: Finding): ConfigProblem | null => {
    const problem = yaml.locate(finding);
    return yaml.leftOut.has(problem.path) ? null : problem;
  };
  const expanded = expandFile(yaml.value, outer, yaml.writtenAt);
  const problems = [...yaml.problems, ...expanded.findings.map(yaml.locate)];
  return { file, hash: hashOf(text), label, dir: dirname(file), ...withoutFindings(expanded), problems, locate, writtenAt: yaml.writtenAt };
}

/** The source of a configuration object, which has no line numbers. */
export function objectSource(object: unknown, dir: string, outer: VariableScope): Source {
  const locate = ({ path, message }: Finding): ConfigProblem => ({
    file: "",
    path: formatKeyPath(path),
    line: 0,
    column: 0,
    message: visible(message),
    excerpt: "",
  });
  const writtenAt = () => undefined;
  const expanded = expandFile(object, outer, writtenAt);
  return { file: null, hash: "", label: "", dir, ...withoutFindings(expanded), problems: expanded.findings.map(locate), locate, writtenAt };
}

export interface ReadOptions {
  /** The value of `${NAME}` if no file defines it. */
  readonly outer: VariableScope;
  /** Texts to use instead of the files on the disk, by absolute path. */
  readonly instead?: ReadonlyMap<string, string> | undefined;
  /** Whether to use files that other users can change. */
  readonly trustConfig: boolean;
}

/**
 * The main file and all files that it includes, each once: depth first, in the order of the includes. A faulty include is a
 * problem of the file that contains it; a main file that cannot be read is a ConfigError.
 */
export async function readSources(path: string, { outer, instead, trustConfig }: ReadOptions): Promise<Source[]> {
  const main = resolve(path);
  const labelOf = (file: string) => (file === main ? path : join(dirname(path), relative(dirname(main), file)));
  const sources: Source[] = [];
  const seen = new Set<string>();
  let bytes = 0;

  const read = async (file: string, scope: VariableScope): Promise<void> => {
    const identity = await realpath(file).catch(() => file);
    if (seen.has(identity)) return;
    const text = instead?.get(file) ?? (await readConfigText({ path: file, label: labelOf(file), trustConfig }));
    bytes += text.length;
    if (seen.size >= MAX_FILES || bytes > MAX_TOTAL_BYTES) {
      throw new MgrError("bad_field", `makes the configuration larger than ${MAX_FILES} files or ${MAX_TOTAL_BYTES} characters`);
    }
    seen.add(identity);
    const source = sourceOf(text, { file, label: labelOf(file) }, scope);
    const problems = [...source.problems];
    sources.push({ ...source, problems });
    for (const { pattern, path: at } of includesOf(source)) {
      for (const problem of await readIncluded(pattern, source, read)) {
        const located = typeof problem === "string" ? source.locate({ path: at, message: problem }) : problem;
        if (located !== null) problems.push(located);
      }
    }
  };
  await read(main, outer);
  return sources;
}

/** The problems of an include: sentences about it, or problems of the files that it names. */
async function readIncluded(
  pattern: string,
  { dir, scope }: Source,
  read: (file: string, scope: VariableScope) => Promise<void>,
): Promise<(string | ConfigProblem)[]> {
  const problems: (string | ConfigProblem)[] = [];
  try {
    for (const file of await filesMatching(pattern, dir)) {
      try {
        await read(file, scope);
      } catch (error) {
        if (!(error instanceof ConfigError)) throw error;
        const isMissing = error.cause instanceof Error && "code" in error.cause && error.cause.code === "ENOENT";
        problems.push(...(isMissing ? [`there is no file '${pattern}'`] : error.problems));
      }
    }
  } catch (error) {
    if (!(error instanceof MgrError)) throw error;
    problems.push(error.message);
  }
  return problems;
}

/** The includes of a source that are strings: the schema reports anything else. */
export function includesOf({ value }: Pick<Source, "value">): { pattern: string; path: KeyPath }[] {
  const list = withPlainText(entriesOf(value ?? null)?.get("include"));
  if (!Array.isArray(list)) return [];
  return list.flatMap((pattern: unknown, index) =>
    typeof pattern === "string" && pattern !== "" && !pattern.includes("\0") ? [{ pattern, path: ["include", index] }] : [],
  );
}

function withoutFindings({ value, scope }: ExpandedFile): Pick<Source, "value" | "scope"> {
  return { value, scope };
}
