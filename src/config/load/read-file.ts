import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { configurationRefusal } from "../../files/configuration.ts";
import { ConfigError } from "../schema/problems.ts";

export const MAX_FILE_BYTES = 4 * 1_048_576;

interface ConfigPlace {
  readonly path: string;
  /** Name of the file in problems. */
  readonly label: string;
  /** Whether to use the file even if other users can change it. */
  readonly trustConfig: boolean;
}

/** The text of a configuration file. Throws a ConfigError. */
export async function readConfigText(place: ConfigPlace): Promise<string> {
  return decode(await readBytes(place), place.label);
}

async function readBytes({ path, label, trustConfig }: ConfigPlace): Promise<Buffer> {
  try {
    // Non-blocking: opening a named pipe would wait for a writer, and block all later reloads.
    await using file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const stats = await file.stat();
    if (!stats.isFile()) throw fileProblem(label, "is not a regular file");
    const refusal = trustConfig ? null : configurationRefusal(path, stats);
    if (refusal !== null) throw fileProblem(label, refusal);
    if (stats.size > MAX_FILE_BYTES) throw fileProblem(label, `is larger than ${MAX_FILE_BYTES} bytes`);
    return await file.readFile();
  } catch (error) {
    if (error instanceof ConfigError) throw error;
    const code = error instanceof Error && "code" in error ? error.code : undefined;
    if (code === "ENOENT") throw fileProblem(label, "does not exist", error);
    if (code === "EACCES") throw fileProblem(label, "cannot be read: permission denied", error);
    throw fileProblem(label, `cannot be read: ${error instanceof Error ? error.message : String(error)}`, error);
  }
}

function decode(bytes: Buffer, label: string): string {
  const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });
  try {
    return decoder.decode(bytes);
  } catch (error) {
    const utf16 = (bytes[0] === 0xff && bytes[1] === 0xfe) || (bytes[0] === 0xfe && bytes[1] === 0xff);
    throw fileProblem(label, utf16 ? "is UTF-16; save it as UTF-8" : "is not UTF-8", error, firstBadLine(bytes));
  }
}

/** Number of the first line that is not UTF-8, 1-based; a newline byte is never part of a longer UTF-8 sequence. */
function firstBadLine(bytes: Buffer): number {
  const decoder = new TextDecoder("utf-8", { fatal: true });
  for (let start = 0, line = 1; start < bytes.length; line++) {
    const newline = bytes.indexOf(0x0a, start);
    const end = newline < 0 ? bytes.length : newline;
    try {
      decoder.decode(bytes.subarray(start, end));
    } catch {
      return line; // This line is not UTF-8.
    }
    start = end + 1;
  }
  return 1;
}

/** A problem of a file as a whole. */
export function fileProblem(label: string, message: string, cause?: unknown, line = 1): ConfigError {
  const problem = { file: label, path: "", line, column: 1, message, excerpt: "" };
  return new ConfigError(label, [problem], cause === undefined ? {} : { cause });
}
