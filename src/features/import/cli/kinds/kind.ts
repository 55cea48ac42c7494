import { existsSync } from "node:fs";
import { dirname, join } from "node:path";
import type { Result } from "../model/result.ts";
import type { Tree } from "../model/tree.ts";
import { withTexts } from "../model/tree.ts";
import { envFileValues, type SourceFiles } from "../sources.ts";
import { interpolate, type Scope } from "../text/interpolation.ts";
import type { Variables } from "../text/variables.ts";

export interface ImportContext {
  readonly result: Result;
  readonly variables: Variables;
  readonly files: SourceFiles;
  /** Folder of the new configuration. */
  readonly target: string;
  /** The environment at the time of the import. */
  readonly environment: Readonly<Record<string, string | undefined>>;
  /** Whether files outside of the folder of the imported one may be read. */
  readonly outside: boolean;
  /** Whether a configuration that is a program may be run. */
  readonly runJavascript: boolean;
}

/** Converts the file at `path` into processes of `result`. Throws ImportFailure. */
export type Convert = (path: string, context: ImportContext) => Promise<void>;

/** The variables of the file `.env` beside `path`; null: there is none. */
export async function dotenvBeside(path: string, { files, result }: ImportContext): Promise<Readonly<Record<string, string>> | null> {
  const file = join(dirname(path), ".env");
  if (!existsSync(file)) return null;
  const { values, problem } = envFileValues(await files.read(file), files.nameOf(file));
  if (problem !== null) {
    const instead = "correct the line; a process with this file as env_file does not start before";
    result.findings.dropped.push({ key: ".env", place: { file: files.nameOf(file), line: 0 }, process: null, why: problem, instead });
  }
  return values;
}

/** The tree with its variables as marks; what changes its meaning is reported. */
export function interpolated(tree: Tree, scope: Scope, { result, variables }: ImportContext): Tree {
  return withTexts(tree, (text, { place }) => {
    const { value, now, guesses } = interpolate(text, scope, variables);
    for (const { name, why } of guesses) result.findings.guessed.push({ key: `\${${name}}`, place, process: null, to: "", why });
    return { value, now };
  });
}
