import { stat } from "node:fs/promises";
import { hashOf } from "../edit-file.ts";
import { readConfigText } from "./read-file.ts";
import { readYaml, type YamlSource } from "./yaml-source.ts";

/**
 * Minimum size of a text that is worth parsing in another program, bytes: below, parsing takes less than loading the parser. A file of 1,000
 * processes has 60 KB and more.
 */
const MIN_TEXT_BYTES = 16_384;

/** The values of a text without problems, parsed by another program. */
export interface ParsedText {
  /** Hash of the text. */
  readonly hash: string;
  /** Mappings are Maps, as in `YamlSource`. */
  readonly value: ReadonlyMap<string, unknown>;
}

/** Parses a file for another program. Null: it is small, or has problems. Throws if it cannot be read. */
export async function parsedText(path: string, trustConfig: boolean): Promise<ParsedText | null> {
  if ((await stat(path)).size < MIN_TEXT_BYTES) return null;
  const text = await readConfigText({ path, label: path, trustConfig });
  const { value, problems } = yamlOf(text, path);
  return value instanceof Map && problems.length === 0 ? { hash: hashOf(text), value } : null;
}

/** Parses the text of the file `label`; `known` are its values if another program has parsed this very text. */
export function yamlOf(text: string, label: string, known: ReadonlyMap<string, unknown> | null = null): YamlSource {
  const read = () => readYaml(text.startsWith("\uFEFF") ? text.slice(1) : text, label);
  if (known === null) return read();
  let source: YamlSource | null = null;
  const parsed = () => (source ??= read());
  return {
    value: known,
    problems: [],
    leftOut: new Set(),
    // Few texts need it: those that turn out to have problems, and those with numbers in an environment.
    locate: (finding) => parsed().locate(finding),
    writtenAt: (path) => parsed().writtenAt(path),
  };
}
