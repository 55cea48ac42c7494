import { existsSync } from "node:fs";
import { open } from "node:fs/promises";
import { basename, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { stringify } from "yaml";
import { messageOf } from "../../../base/errors.ts";
import { packageFile } from "../../../http/package-files.ts";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";

const DEFAULT_PORT = 8130;

export interface Beginning {
  /** Folder of the configuration. */
  readonly folder: string;
  /** Name of the instance. Default: that of the folder, without characters that are not allowed. */
  readonly name?: string | undefined;
  readonly port?: number;
  /** The file with web users, relative to the folder; null: none yet. */
  readonly authFile: string | null;
}

/** The beginning of a new configuration: the line for editors, and `instance`. */
export function beginningOfConfiguration({ folder, name, port = DEFAULT_PORT, authFile }: Beginning): string {
  const users =
    authFile === null ? "# webui_auth_file: webui.keys # users of the page; 'mgr passwd' adds one" : `webui_auth_file: ${authFile}`;
  return `# yaml-language-server: $schema=${schemaPath(folder)}
# Configuration of mgr. 'mgr check' validates it, 'mgr reload' applies it; see docs/config.md.
instance:
  name: ${stringify(name ?? instanceName(basename(folder))).trim()}
  manager: "localhost:${port}" # ":${port}" listens on every interface
  ${users}
`;
}

/** Creates a file. Throws CommandFailure; an existing one is not changed. */
export async function writeNew(path: string, text: string, mode: number): Promise<void> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, "wx", mode);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") refuseExisting(path);
    throw new CommandFailure(EXIT.failed, `cannot write ${path}: ${messageOf(error)}`);
  }
  await file.writeFile(text).finally(() => file.close());
}

/** Throws CommandFailure if there is such a file; `instead` says what to do. */
export function refuseExisting(path: string, instead = "Name another file with -c, or delete it."): void {
  if (existsSync(path)) throw new CommandFailure(EXIT.failed, `${path} already exists and was not changed. ${instead}`);
}

/** Name of an instance from that of a folder or project, without characters that are not allowed. */
export function instanceName(folder: string): string {
  const name = folder.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[-.]+|-+$/g, "");
  return name === "" ? "mgr" : name.slice(0, 64);
}

/** Location of the schema, with which editors complete and check keys. A path within the folder stays valid when the folder is copied. */
function schemaPath(folder: string): string {
  const file = packageFile("docs/config.schema.json");
  const path = relative(folder, file);
  return path.startsWith("..") ? pathToFileURL(file).href : path;
}
