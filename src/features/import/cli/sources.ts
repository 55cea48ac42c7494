import { relative, resolve } from "node:path";
import { messageOf } from "../../../base/errors.ts";
import { readConfigText } from "../../../config/load/read-file.ts";
import { ConfigError } from "../../../config/schema/problems.ts";
import { parseEnvFile } from "../../../daemon/process/env-file.ts";
import { ImportFailure } from "./model/failure.ts";
import { withoutMarks } from "./text/variables.ts";

const MAX_FILES = 1_000;

/** The files of an import, each with the name by which reports call it. */
export class SourceFiles {
  readonly names: string[] = [];

  /** The text of a file. Throws ImportFailure. */
  async read(path: string): Promise<string> {
    const name = this.nameOf(path);
    if (this.names.length >= MAX_FILES) throw new ImportFailure(`${name}: the configuration has more than ${MAX_FILES} files`);
    this.names.push(name);
    try {
      // A configuration of another user may be imported: nothing of it runs before the new one is read.
      return withoutMarks((await readConfigText({ path, label: name, trustConfig: true })).replace(/^\uFEFF/, ""));
    } catch (error) {
      if (!(error instanceof ConfigError)) throw error;
      throw new ImportFailure(`${name} ${error.problems[0]?.message ?? "cannot be read"}`);
    }
  }

  /** The path relative to the working folder. */
  nameOf(path: string): string {
    return relative(process.cwd(), resolve(path)) || ".";
  }
}

/** The variables of an env file; where it cannot be read as one, the reason. */
export function envFileValues(text: string, path: string): { values: Readonly<Record<string, string>>; problem: string | null } {
  try {
    return { values: parseEnvFile(text, path), problem: null };
  } catch (error) {
    return { values: {}, problem: messageOf(error) };
  }
}
