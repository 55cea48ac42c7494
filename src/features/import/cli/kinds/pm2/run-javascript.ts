import { execFile } from "node:child_process";
import { dirname, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { ImportFailure } from "../../model/failure.ts";
import { plainTree, type Tree } from "../../model/tree.ts";
import { withoutMarks } from "../../text/variables.ts";

/** A configuration that takes longer is stuck, milliseconds. */
const TIMEOUT_MS = 20_000;
const MAX_OUTPUT_BYTES = 4 * 1_048_576;

/** A module that prints what another one exports, behind a line end and a mark, because that may print itself. It may also keep timers. */
const printing = (path: string, mark: string): string =>
  `import exported from ${JSON.stringify(pathToFileURL(path).href)};
process.stdout.write(${JSON.stringify(`\n${mark}`)} + JSON.stringify(exported), () => process.exit(0));`;

/**
 * The value that a JavaScript module exports. It runs in a child, as this user and with this environment, for at most 20 s. Throws
 * ImportFailure.
 */
export async function runJavascript(path: string, name: string): Promise<Tree> {
  const mark = `mgr-import-${process.pid}:`;
  const options = { timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, killSignal: "SIGKILL" as const, cwd: dirname(resolve(path)) };
  const { stdout } = await promisify(execFile)(
    process.execPath,
    ["--input-type=module", "-e", printing(resolve(path), mark)],
    options,
  ).catch((error: unknown) => {
    throw new ImportFailure(`${name} cannot be run: ${reasonOf(error)}`);
  });
  const json = stdout.slice(stdout.lastIndexOf(`\n${mark}`) + mark.length + 1);
  try {
    return plainTree(JSON.parse(withoutMarks(json)), name);
  } catch {
    throw new ImportFailure(`${name} exports nothing that can be written as JSON`);
  }
}

function reasonOf(error: unknown): string {
  const { killed, stderr, message } = error as { killed?: boolean; stderr?: string; message: string };
  if (killed) return `it did not end within ${TIMEOUT_MS / 1_000} s, or printed more than ${MAX_OUTPUT_BYTES} bytes`;
  // Node shows the line of the program before the error.
  const lines = (stderr ?? "").trim().split("\n");
  return lines.find((line) => /^\w*Error\b/.test(line)) ?? (lines[0] || message);
}
