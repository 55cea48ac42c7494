import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { rm } from "node:fs/promises";
import { userInfo } from "node:os";
import { dirname, relative, resolve } from "node:path";
import { visible } from "../../../base/text/visible-text.ts";
import { CLI_FEATURES } from "../../../features/cli.ts";
import { hashPassword } from "../../../http/auth/password-hash.ts";
import { CommandFailure, EXIT } from "../../command/exit-codes.ts";
import { loadConfig } from "../../manager/configuration.ts";
import { beginningOfConfiguration, refuseExisting, writeNew } from "./new-configuration.ts";
import { askYesNo } from "./prompt.ts";

export interface InitFlags {
  config: string;
  name?: string;
  port: number;
  import?: string;
}

/** 144 random bits in 24 characters. */
const PASSWORD_BYTES = 18;
const KEYS = "webui.keys";
const IMPORTERS = CLI_FEATURES.flatMap(({ importer }) => importer ?? []);

/** `mgr init`: creates a first configuration and a web user. Existing files are never overwritten. */
export async function init({ config, name, port, ...flags }: InitFlags): Promise<void> {
  const file = resolve(config);
  refuseExisting(file);
  const folder = dirname(file);
  const source = flags.import ?? (await offered(folder));
  const keys = resolve(folder, KEYS);
  const processes = source === null ? EXAMPLE : await imported(source, file);
  // What is imported may hold secrets of an environment.
  const mode = source === null ? 0o644 : 0o600;
  await writeNew(file, `${beginningOfConfiguration({ folder, name, port, authFile: KEYS })}\n${processes}`, mode);
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

/** What can be imported from the folder, if the user wants it; without a terminal only a hint is printed. */
async function offered(folder: string): Promise<string | null> {
  const found = (await Promise.all(IMPORTERS.map(({ find }) => find(folder)))).flat();
  const [first, ...others] = found.map((path) => relative(process.cwd(), path) || ".");
  if (first === undefined) return null;
  if (others.length === 0 && process.stdin.isTTY && process.stderr.isTTY)
    return (await askYesNo(`Import the processes of ${visible(first)}?`)) ? first : null;
  for (const path of [first, ...others]) console.log(`${visible(path)}: not imported; 'mgr init --import ${visible(path)}' does`);
  return null;
}

async function imported(path: string, target: string): Promise<string> {
  const [importer] = IMPORTERS;
  if (importer === undefined) throw new CommandFailure(EXIT.usage, "this program imports nothing; leave out --import");
  return importer.sections(path, target);
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
