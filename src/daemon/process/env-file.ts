import { constants } from "node:fs";
import { open } from "node:fs/promises";
import { MgrError, messageOf } from "../../base/errors.ts";
import { shortened } from "../../base/text/text-length.ts";
import { isMissing } from "../../files/state-file.ts";

/** Maximum size of a file, bytes: an environment has to fit into the kernel's limit anyway. */
const MAX_BYTES = 1024 * 1024;
/** Maximum number of characters of a line that an error shows: the rest may be a secret. */
const MAX_SHOWN = 12;
const ASSIGNMENT = /^(?:export\s+)?([^\s=]+)\s*=\s*(.*)$/s;
const ESCAPES: Readonly<Record<string, string>> = { n: "\n", r: "\r", t: "\t" };

/**
 * Reads the variables of files with `NAME=value` lines; a later file wins. Rejects with `spawn_failed` naming file and line. A value may be
 * in single quotes (literal) or double quotes (`\n`, `\r`, `\t`, `\"`, `\\`, `\$`), and then span several lines; without quotes it ends at
 * ` #`. Lines that are empty or begin with `#` are skipped. Nothing is expanded.
 */
export async function readEnvFiles(paths: readonly string[]): Promise<Record<string, string>> {
  const variables: Record<string, string> = Object.create(null);
  for (const path of paths) Object.assign(variables, parseEnvFile(await readText(path), path));
  return variables;
}

/** Parses the text of an env file; `path` is for messages. */
export function parseEnvFile(text: string, path: string): Record<string, string> {
  const variables: Record<string, string> = Object.create(null);
  const lines = text.replace(/^\ufeff/, "").split(/\r?\n/);
  for (let index = 0; index < lines.length; index++) {
    const at = `env_file '${path}', line ${index + 1}`;
    const line = (lines[index] ?? "").trimStart();
    if (line === "" || line.startsWith("#")) continue;
    const [, name, rest = ""] = ASSIGNMENT.exec(line) ?? [];
    if (name === undefined)
      throw new MgrError("spawn_failed", `${at}: '${shortened(line, MAX_SHOWN)}' is not NAME=value; begin a comment with #`);
    if (line.includes("\0")) throw new MgrError("spawn_failed", `${at}: it contains a NUL character, which is not allowed in a variable`);
    const quote = rest[0];
    if (quote !== '"' && quote !== "'") {
      variables[name] = rest.replace(/(^|\s)#.*$/s, "").trimEnd();
      continue;
    }
    let value = rest.slice(1);
    let end = closing(value, quote);
    while (end === -1) {
      index += 1;
      const next = lines[index];
      if (next === undefined) throw new MgrError("spawn_failed", `${at}: the value of '${name}' begins with ${quote}, which is not closed`);
      value += `\n${next}`;
      end = closing(value, quote);
    }
    const surplus = value.slice(end + 1).trim();
    if (surplus !== "" && !surplus.startsWith("#")) {
      throw new MgrError("spawn_failed", `${at}: '${shortened(surplus, MAX_SHOWN)}' follows the closing quote of '${name}'`);
    }
    variables[name] = quote === "'" ? value.slice(0, end) : unescaped(value.slice(0, end));
  }
  return variables;
}

function closing(value: string, quote: string): number {
  for (let at = 0; at < value.length; at++) {
    if (value[at] === "\\" && quote === '"') at++;
    else if (value[at] === quote) return at;
  }
  return -1;
}

function unescaped(value: string): string {
  return value.replace(/\\([nrt"\\$`])/g, (_, char: string) => ESCAPES[char] ?? char);
}

async function readText(path: string): Promise<string> {
  try {
    // Without O_NONBLOCK, opening a named pipe would wait for a writer.
    const file = await open(path, constants.O_RDONLY | constants.O_NONBLOCK);
    try {
      const stats = await file.stat();
      if (!stats.isFile()) throw new Error("it is not a regular file");
      if (stats.size > MAX_BYTES) throw new Error(`it is larger than ${MAX_BYTES} bytes`);
      return await file.readFile("utf8");
    } finally {
      await file.close();
    }
  } catch (cause) {
    if (isMissing(cause))
      throw new MgrError("spawn_failed", `env_file '${path}' does not exist; create it, or change 'env_file'`, { cause });
    throw new MgrError("spawn_failed", `env_file '${path}' cannot be read: ${messageOf(cause)}`, { cause });
  }
}
