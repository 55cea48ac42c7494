import { realpath } from "node:fs/promises";
import { dirname, join, relative, resolve } from "node:path";
import { MgrError } from "../../base/errors.ts";
import { visible } from "../../base/text/visible-text.ts";
import { hashOf } from "../edit-file.ts";
import { withPlainText } from "../schema/expanded.ts";
import { ConfigError, type ConfigProblem, type Finding, formatKeyPath, type KeyPath } from "../schema/problems.ts";
import { entriesOf } from "../schema/schema-kinds.ts";
import { type ExpandedFile, expandFile, type VariableScope } from "./expand.ts";
import { filesMatching } from "./glob.ts";
import { overlaid, partOf } from "./overlay.ts";
import { checkProfiles, missingProfile, profileFile } from "./profiles.ts";
import { MAX_FILE_BYTES, readConfigText } from "./read-file.ts";
import { readYaml, type YamlSource } from "./yaml-source.ts";

const MAX_FILES = 1_000;
const MAX_TOTAL_BYTES = 16 * MAX_FILE_BYTES;

/** A file (or the object of an embedding program) that was read but not yet checked against the schema. */
export interface Source {
  /** Absolute path of the file; null for an object. */
  readonly file: string | null;
  /** Hash of the file's text. */
  readonly hash: string;
  /** The files of profiles that were put over it. */
  readonly overlays: readonly { readonly file: string; readonly label: string; readonly hash: string }[];
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
  return sourceOfYaml(yamlOf(text, place.label), { ...place, hash: hashOf(text), overlays: [] }, outer);
}

function yamlOf(text: string, label: string): YamlSource {
  return readYaml(text.startsWith("\uFEFF") ? text.slice(1) : text, label);
}

type FilePlace = { readonly file: string } & Pick<Source, "label" | "hash" | "overlays">;

function sourceOfYaml(yaml: YamlSource, place: FilePlace, outer: VariableScope): Source {
  const locate = (finding: Finding): ConfigProblem | null => {
    const problem = yaml.locate(finding);
    return yaml.leftOut.has(problem.path) ? null : problem;
  };
  const expanded = expandFile(yaml.value, outer, yaml.writtenAt);
  const problems = [...yaml.problems, ...expanded.findings.map(yaml.locate)];
  const { file, label, hash, overlays } = place;
  const { writtenAt } = yaml;
  return { file, label, hash, overlays, dir: dirname(file), ...withoutFindings(expanded), problems, locate, writtenAt };
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
  return {
    file: null,
    hash: "",
    overlays: [],
    label: "",
    dir,
    ...withoutFindings(expanded),
    problems: expanded.findings.map(locate),
    locate,
    writtenAt,
  };
}

export interface ReadOptions {
  /** The value of `${NAME}` if no file defines it. */
  readonly outer: VariableScope;
  /** Texts to use instead of the files on the disk, by absolute path. */
  readonly instead?: ReadonlyMap<string, string> | undefined;
  /** Whether to use files that other users can change. */
  readonly trustConfig: boolean;
  /** Profiles whose files are put over the main file, the strongest last. */
  readonly profiles: readonly string[];
}

/**
 * The main file, with the files of the profiles over it, and all files that it includes, each once: depth first, in the order of the includes. A
 * faulty include is a problem of the file that contains it; a main file or one of a profile that cannot be read is a ConfigError.
 */
export async function readSources(path: string, { outer, instead, trustConfig, profiles }: ReadOptions): Promise<Source[]> {
  const main = resolve(path);
  const labelOf = (file: string) => (file === main ? path : join(dirname(path), relative(dirname(main), file)));
  checkProfiles(path, profiles);
  const files: ReadFile[] = [];
  const overlays: YamlFile[] = [];
  const seen = new Set<string>();
  let bytes = 0;

  const readYamlFile = async (file: string): Promise<YamlFile | null> => {
    const identity = await realpath(file).catch(() => file);
    if (seen.has(identity)) return null;
    const label = labelOf(file);
    const text = instead?.get(file) ?? (await readConfigText({ path: file, label, trustConfig }));
    bytes += text.length;
    if (seen.size >= MAX_FILES || bytes > MAX_TOTAL_BYTES) {
      throw new MgrError("bad_field", `makes the configuration larger than ${MAX_FILES} files or ${MAX_TOTAL_BYTES} characters`);
    }
    seen.add(identity);
    return { file, label, hash: hashOf(text), yaml: yamlOf(text, label) };
  };
  const read = async (file: string, scope: VariableScope): Promise<void> => {
    const found = await readYamlFile(file);
    if (found === null) return;
    const over = file === main ? overlays : [];
    const source = sourceOfYaml(
      overlaid(
        found.yaml,
        over.map(({ yaml }) => yaml),
      ),
      { ...found, overlays: over },
      scope,
    );
    const problems: ConfigProblem[] = [];
    files.push({ ...found, outer: scope, problems, source });
    for (const { pattern, path: at } of includesOf(source)) {
      for (const problem of await readIncluded(pattern, source, read)) {
        const located = typeof problem === "string" ? source.locate({ path: at, message: problem }) : problem;
        if (located !== null) problems.push(located);
      }
    }
  };
  for (const profile of profiles) {
    const file = profileFile(main, profile);
    const found = await readYamlFile(file).catch(async (error: unknown) => {
      throw await missingProfile(main, labelOf(file), profile, error);
    });
    if (found !== null) overlays.push(found);
  }
  await read(main, outer);
  return assembled(files, overlays);
}

interface YamlFile {
  readonly file: string;
  readonly label: string;
  readonly hash: string;
  readonly yaml: YamlSource;
}

/** A file that was read, and the scope of its variables. */
interface ReadFile extends YamlFile {
  readonly outer: VariableScope;
  /** Problems of its includes. */
  readonly problems: ConfigProblem[];
  /** Made from the file and, for the main one, all overlays. */
  readonly source: Source;
}

/** The sources of the files that were read. What overlays say about names that an included file defines is put over that file. */
function assembled([main, ...included]: readonly ReadFile[], overlays: readonly YamlFile[]): Source[] {
  const all = [main, ...included].flatMap((file) => file ?? []);
  if (overlays.length === 0) return all.map(({ source, problems }) => ({ ...source, problems: [...source.problems, ...problems] }));
  const owners = new Map<string, ReadFile>();
  const keyOf = (section: string, name: string) => `${section}\0${name}`;
  for (const file of all)
    for (const [section, entries] of entriesOf(file.yaml.value ?? null) ?? [])
      for (const name of entriesOf(entries ?? null)?.keys() ?? [])
        if (!owners.has(keyOf(section, name))) owners.set(keyOf(section, name), file);
  const source = (file: ReadFile): Source => {
    const isMain = file === main;
    const accepts = (section: string, name: string) => (owners.get(keyOf(section, name)) ?? main) === file;
    const parts = overlays.map(({ yaml }) => partOf(yaml, accepts, isMain));
    const made = sourceOfYaml(overlaid(file.yaml, parts), { ...file, overlays: isMain ? overlays : [] }, file.outer);
    const own = isMain ? overlays.flatMap(({ yaml }) => yaml.problems) : [];
    return { ...made, problems: [...made.problems, ...own, ...file.problems] };
  };
  return all.map(source);
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
