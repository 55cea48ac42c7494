import { open } from "node:fs/promises";
import { dirname, resolve } from "node:path";
import type { z } from "zod";
import type { Config, ConfigProblem } from "./definition.ts";
import { ConfigError, escapeControls, type Finding, formatKeyPath } from "./problems.ts";
import { checkReferences } from "./references.ts";
import { resolveConfig } from "./resolve.ts";
import { type ConfigFile, type ConfigInput, configFileSchema, configObjectSchema } from "./schema.ts";
import { findingsOf } from "./schema-kinds.ts";
import { readYaml } from "./yaml-source.ts";

export { ConfigError };

const MAX_FILE_BYTES = 4 * 1_048_576;

/** Reads, checks and resolves a configuration file. Throws a ConfigError with every problem that it has. */
export async function loadConfigFile(path: string): Promise<Config> {
  return parseConfigText(decode(await readBytes(path), path), path);
}

/** The same for the text of a file; `path` says where it stands (or will stand) and how it is named in problems. */
export function parseConfigText(text: string, path: string): Config {
  const file = resolve(path);
  const source = readYaml(text.startsWith("\uFEFF") ? text.slice(1) : text, path);
  if (source.value === undefined && source.problems.length === 0)
    throw fileProblem(path, "is empty; it needs at least 'instance' with 'name' and 'manager'");
  if (source.value === undefined) throw new ConfigError(path, source.problems);
  const { config, findings } = check(configFileSchema, source.value);
  // A part that YAML itself could not give a value is not also "missing".
  const located = findings.map(source.locate).filter((problem) => !source.leftOut.has(problem.path));
  const problems = [...source.problems, ...located];
  if (config === undefined || problems.length > 0) throw new ConfigError(path, inOrder(problems));
  const fallback = { name: "", manager: { host: "", port: 0 }, state_dir: null };
  return resolveConfig({ config, dir: dirname(file), writtenAt: source.writtenAt }, [], { files: [file], fallback });
}

export interface ObjectOptions {
  /** What relative paths are relative to. */
  base_dir: string;
  /** Used unless the object has an `instance.state_dir`. */
  state_dir: string;
}

/** A configuration given as an object, for embedding: without an instance it is "embedded", on a free port of localhost. */
export function loadConfigObject(object: ConfigInput, options: ObjectOptions): Config {
  const { config, findings } = check(configObjectSchema, object);
  if (config === undefined || findings.length > 0) {
    throw new ConfigError(
      null,
      findings.map(({ path, message }) => ({
        file: "",
        path: formatKeyPath(path),
        line: 0,
        column: 0,
        message: escapeControls(message),
        excerpt: "",
      })),
    );
  }
  const fallback = { name: "embedded", manager: { host: "localhost", port: 0 }, state_dir: resolve(options.state_dir) };
  return resolveConfig({ config, dir: resolve(options.base_dir), writtenAt: () => undefined }, [], { files: [], fallback });
}

function check(schema: z.ZodType<ConfigFile>, value: unknown): { config: ConfigFile | undefined; findings: Finding[] } {
  const result = schema.safeParse(value);
  return { config: result.data, findings: [...(result.success ? [] : findingsOf(result.error)), ...checkReferences(value)] };
}

async function readBytes(path: string): Promise<Buffer> {
  try {
    await using file = await open(path, "r");
    const stats = await file.stat();
    if (!stats.isFile()) throw fileProblem(path, "is not a regular file");
    if (stats.size > MAX_FILE_BYTES) throw fileProblem(path, `is larger than ${MAX_FILE_BYTES} bytes`);
    return await file.readFile();
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") throw fileProblem(path, "does not exist; name another with -c FILE", error);
    if (code === "EACCES") throw fileProblem(path, "cannot be read: permission denied", error);
    throw fileProblem(path, `cannot be read: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}

function decode(bytes: Buffer, path: string): string {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    return decoder.decode(bytes);
  } catch (error) {
    const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    throw fileProblem(path, utf16 ? "is UTF-16; save it as UTF-8" : "is not UTF-8", error, firstBadLine(bytes));
  }
}

/** 1-based; a newline byte is never part of a longer UTF-8 sequence. */
function firstBadLine(bytes: Buffer): number {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (let start = 0, line = 1; start < bytes.length; line++) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline;
    try {
      decoder.decode(bytes.subarray(start, end));
    } catch {
      return line; // The failure is the answer.
    }
    start = end + 1;
  }
  return 1;
}

function fileProblem(file: string, message: string, cause?: unknown, line = 1): ConfigError {
  return new ConfigError(file, [{ file, path: "", line, column: 1, message, excerpt: "" }], cause === undefined ? {} : { cause });
}

function inOrder(problems: ConfigProblem[]): ConfigProblem[] {
  return problems.sort((a, b) => a.line - b.line || a.column - b.column);
}
