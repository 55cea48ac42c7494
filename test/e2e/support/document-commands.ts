import { execFile } from "node:child_process";
import { chmodSync, readFileSync, writeFileSync } from "node:fs";
import { delimiter, join } from "node:path";
import { fileURLToPath } from "node:url";
import { type Instance, PROGRAM } from "./instance.ts";

const ROOT = fileURLToPath(new URL("../../..", import.meta.url));

interface CommandOutcome {
  readonly line: string;
  readonly code: number;
  readonly stdout: string;
  readonly stderr: string;
}

/** The first block of code in a language below a heading of a document. */
export function exampleOf(document: string, heading: string, language: string): string {
  const [section = ""] = readFileSync(join(ROOT, document), "utf8").split(`\n## ${heading}\n`)[1]?.split("\n## ") ?? [];
  const [, code] = new RegExp(`\`\`\`${language}\n(.*?)\n\`\`\``, "s").exec(section) ?? [];
  if (code === undefined) throw new Error(`${document} has no ${language} below '${heading}'`);
  return code;
}

/** Runs every line of the `sh` blocks of a document in a shell, as a user of this instance types it. */
export async function runDocument(instance: Instance, name: string): Promise<CommandOutcome[]> {
  const blocks = [...readFileSync(join(ROOT, name), "utf8").matchAll(/^```sh\n(.*?)^```/gmsu)].map(([, block = ""]) => block);
  // The program by its name, with the configuration of the test.
  const program = join(instance.dir, "mgr");
  writeFileSync(program, `#!/bin/sh\nexec "${process.execPath}" "${PROGRAM}" "$@" -c "${instance.config}"\n`);
  chmodSync(program, 0o755);
  const env = { ...process.env, HOME: instance.dir, PATH: `${instance.dir}${delimiter}${process.env.PATH}` };
  const outcomes: CommandOutcome[] = [];
  for (const line of blocks.flatMap((block) => block.trim().split("\n")))
    outcomes.push(
      await new Promise((resolve) =>
        execFile("/bin/sh", ["-c", line], { env, cwd: instance.dir }, (error, stdout, stderr) =>
          resolve({ line, code: error === null ? 0 : Number(error.code), stdout, stderr }),
        ),
      ),
    );
  return outcomes;
}
