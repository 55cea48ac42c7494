import { execFile } from "node:child_process";
import { dirname, resolve } from "node:path";
import { promisify } from "node:util";
import { ImportFailure } from "../../model/failure.ts";
import { plainTree, type Tree } from "../../model/tree.ts";
import { withoutMarks } from "../../text/variables.ts";

/** A configuration that takes longer is stuck, milliseconds. */
const TIMEOUT_MS = 20_000;
const MAX_OUTPUT_BYTES = 4 * 1_048_576;

/** Prints what the module exports, behind a line end and a mark, because it may print itself. */
const SCRIPT = `
const { pathToFileURL } = require("node:url");
const [path, mark] = process.argv.slice(1);
import(pathToFileURL(path).href).then(
  ({ default: exported }) => process.stdout.write("\\n" + mark + JSON.stringify(exported), () => process.exit(0)),
  (error) => { console.error(String(error && error.stack || error)); process.exit(1); },
);`;

/**
 * The value that a JavaScript module exports. It runs in a child, as this user and with this environment, for at most 20 s. Throws
 * ImportFailure.
 */
export async function runJavascript(path: string, name: string): Promise<Tree> {
  const mark = `mgr-import-${process.pid}:`;
  const options = { timeout: TIMEOUT_MS, maxBuffer: MAX_OUTPUT_BYTES, killSignal: "SIGKILL" as const, cwd: dirname(resolve(path)) };
  const { stdout } = await promisify(execFile)(process.execPath, ["-e", SCRIPT, resolve(path), mark], options).catch((error: unknown) => {
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
  return (stderr ?? "").trim().split("\n")[0] || message;
}
