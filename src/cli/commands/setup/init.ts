import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { open, readFile, rm } from "node:fs/promises";
import { userInfo } from "node:os";
import { basename, dirname, relative, resolve } from "node:path";
import { pathToFileURL } from "node:url";
import { stringify } from "yaml";
import { messageOf } from "../../../base/errors.ts";
import { visible } from "../../../base/visible-text.ts";
import { hashPassword } from "../../../http/auth/password-hash.ts";
import { packageFile } from "../../../http/package-files.ts";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";
import { loadConfig } from "../../manager/configuration.ts";
import { parseProcfile } from "./procfile.ts";
import { askYesNo } from "./prompt.ts";

export interface InitFlags {
  config: string;
  name?: string;
  port: number;
  procfile?: string;
}

/** 144 random bits in 24 characters. */
const PASSWORD_BYTES = 18;
const KEYS = "webui.keys";
const PROCFILE = "Procfile";

/** `mgr init`: creates a first configuration and a web user. Existing files are never overwritten. */
export async function init({ config, name, port, ...flags }: InitFlags): Promise<void> {
  const file = resolve(config);
  refuseExisting(file);
  const procfile = flags.procfile ?? (await offeredProcfile(dirname(file)));
  const keys = resolve(dirname(file), KEYS);
  const processes = procfile === undefined ? EXAMPLE : await fromProcfile(resolve(procfile), dirname(file));
  await writeNew(
    file,
    configText({ schema: schemaPath(dirname(file)), name: name ?? instanceName(basename(dirname(file))), port, processes }),
    0o644,
  );
  try {
    // The written file has to be valid.
    await loadConfig(file);
    console.log(`${visible(config)}: written; 'mgr check' validates it after each change`);
    await makeUser(keys);
  } catch (error) {
    await rm(file, { force: true });
    throw error;
  }
  console.log("Next: mgr up");
}

/** A Procfile beside the configuration, if the user wants it; without a terminal only a hint is printed. */
async function offeredProcfile(folder: string): Promise<string | undefined> {
  const path = relative(process.cwd(), resolve(folder, PROCFILE));
  if (!existsSync(path)) return undefined;
  if (process.stdin.isTTY && process.stderr.isTTY) return (await askYesNo(`Import the processes of ${visible(path)}?`)) ? path : undefined;
  console.log(`${visible(path)}: not imported; 'mgr init --procfile ${visible(path)}' does`);
  return undefined;
}

async function makeUser(keys: string): Promise<void> {
  if (existsSync(keys)) {
    console.log(`${visible(keys)}: exists and is kept`);
    return;
  }
  const user = /^[A-Za-z0-9._-]+$/.exec(userInfo().username)?.[0] ?? "admin";
  const password = randomBytes(PASSWORD_BYTES).toString("base64url");
  await writeNew(keys, `${user} ${await hashPassword(password)}\n`, 0o600);
  console.log(`${visible(keys)}: written, keep it out of version control\nLog in to the page as '${user}' with the password ${password}`);
  console.log("The password is shown only once; 'mgr passwd' sets a new one.");
}

async function writeNew(path: string, text: string, mode: number): Promise<void> {
  let file: Awaited<ReturnType<typeof open>>;
  try {
    file = await open(path, "wx", mode);
  } catch (error) {
    if (error instanceof Error && "code" in error && error.code === "EEXIST") refuseExisting(path);
    throw new CommandFailure(EXIT.failed, `cannot write ${path}: ${messageOf(error)}`);
  }
  await file.writeFile(text).finally(() => file.close());
}

function refuseExisting(path: string): void {
  if (existsSync(path))
    throw new CommandFailure(EXIT.failed, `${path} already exists and was not changed. Name another file with -c, or delete it.`);
}

/** Name of the instance from that of the folder, without characters that are not allowed. */
function instanceName(folder: string): string {
  const name = folder.replace(/[^A-Za-z0-9._-]+/g, "-").replace(/^[-.]+|-+$/g, "");
  return name === "" ? "mgr" : name.slice(0, 64);
}

/** Location of the schema, with which editors complete and check keys. A path within the folder stays valid when the folder is copied. */
function schemaPath(folder: string): string {
  const file = packageFile("docs/config.schema.json");
  const path = relative(folder, file);
  return path.startsWith("..") ? pathToFileURL(file).href : path;
}

function configText({ schema, name, port, processes }: { schema: string; name: string; port: number; processes: string }): string {
  return `# yaml-language-server: $schema=${schema}
# Configuration of mgr. 'mgr check' validates it, 'mgr reload' applies it; see docs/config.md.
instance:
  name: ${stringify(name).trim()}
  manager: "localhost:${port}" # ":${port}" listens on every interface
  webui_auth_file: ${KEYS}

${processes}`;
}

const EXAMPLE = `processes:
  # Commands with shell syntax run through /bin/sh, others are executed directly.
  clock:
    command: while date; do sleep 1; done
    autostart: true
    restart: {policy: on-failure}

  # Ready when its output matches; the viewer waits for that.
  demo/server:
    command: echo starting; sleep 2; echo listening; exec sleep 100000
    ready: {regex: listening}
    ready_timeout: 30s

  demo/viewer:
    command: cat
    depends_on: [demo/server]
`;

async function fromProcfile(path: string, dir: string): Promise<string> {
  const text = await readFile(path, "utf8").catch((error: unknown) => {
    throw new CommandFailure(EXIT.failed, `cannot read the Procfile ${path}: ${messageOf(error)}`);
  });
  const { entries, problems } = parseProcfile(text);
  if (problems.length > 0)
    throw new CommandFailure(EXIT.usage, problems.map(({ line, message }) => `${path}:${line}: ${message}`).join("\n"));
  const cwd = relative(dir, dirname(path));
  const env = existsSync(resolve(dirname(path), ".env")) ? { env_file: `${cwd === "" ? "" : `${cwd}/`}.env` } : {};
  const processes = entries.map(({ name, command, port }) => [
    name,
    { command, shell: true, ...(cwd === "" ? {} : { cwd }), ...env, environment: { PORT: port }, autostart: true },
  ]);
  return stringify({ processes: Object.fromEntries(processes) }, { lineWidth: 0 });
}
