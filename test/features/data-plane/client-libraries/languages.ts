import { execFile } from "node:child_process";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import { bundled } from "../../../support/bundled.ts";

const path = (file: string) => fileURLToPath(new URL(`../../../../${file}`, import.meta.url));
const run = promisify(execFile);

export interface Language {
  readonly name: string;
  /** Has services, parameters, CDR and definitions. The library in C has topics only. */
  readonly isComplete: boolean;
  /** What starts a program that uses the library of this language; it may be built in the folder. */
  command(folder: string): Promise<readonly string[]>;
}

const TYPESCRIPT: Language = {
  name: "TypeScript",
  isComplete: true,
  command: async () => [process.execPath, await bundled("test/features/data-plane/client-libraries/programs/program.ts")],
};
const PYTHON: Language = {
  name: "Python",
  isComplete: true,
  command: async () => ["python3", path("test/features/data-plane/client-libraries/programs/program.py")],
};
const C: Language = {
  name: "C",
  isComplete: false,
  async command(folder) {
    const program = join(folder, "program");
    const sources = [path("test/features/data-plane/client-libraries/programs/program.c"), path("clients/c/mgr_client.c")];
    // MGR_CC: for example "gcc -fsanitize=address -g".
    const [compiler = "gcc", ...flags] = (process.env.MGR_CC ?? "gcc").split(" ");
    await run(compiler, [...flags, "-std=gnu11", "-O1", "-Wall", "-Wextra", "-Werror", "-o", program, ...sources, "-lnats", "-lpthread"]);
    return [program];
  },
};

export const LANGUAGES = [TYPESCRIPT, PYTHON, C];
export const COMPLETE = LANGUAGES.filter(({ isComplete }) => isComplete);
