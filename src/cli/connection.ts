import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { messageOf } from "../base/errors.ts";
import { connect, type ManagerClient } from "../client/index.ts";
import type { Config } from "../config/definition.ts";
import { loadConfigFile } from "../config/load.ts";
import { CommandFailure, EXIT } from "./exit-codes.ts";

export interface ConnectionFlags {
  url?: string;
  config?: string;
  user?: string;
  passwordFile?: string;
}

interface Way {
  url: string;
  token?: string;
  user?: string;
  password?: string;
}

/**
 * Connects as the flags and the environment say (MGR_URL, MGR_USER, MGR_PASSWORD_FILE); without a URL to the manager of
 * the configuration file, with its local token, or its auth file's password when MGR_USER picks an entry.
 */
export async function connectManager(flags: ConnectionFlags): Promise<ManagerClient> {
  const way = await findWay(flags);
  try {
    const { url, ...credentials } = way;
    return await connect(url, credentials);
  } catch (error) {
    throw new CommandFailure(EXIT.failed, `${messageOf(error)}\nIs the manager at ${way.url} running? Start it with: mgr up`);
  }
}

async function findWay(flags: ConnectionFlags): Promise<Way> {
  const user = flags.user ?? process.env.MGR_USER;
  const passwordFile = flags.passwordFile ?? process.env.MGR_PASSWORD_FILE;
  const password = passwordFile === undefined ? undefined : (await readNamed(passwordFile, "password file")).split(/\r?\n/)[0];
  const given = flags.url ?? process.env.MGR_URL;
  if (given !== undefined && password !== undefined) return { url: given, user: user ?? "", password };

  const config = await loadConfigFile(flags.config ?? "mgr.yaml").catch((error: unknown) => {
    const hint =
      given === undefined
        ? "Give the manager's address with --url, or its configuration with -c."
        : "Give the password with --password-file.";
    throw new CommandFailure(EXIT.usage, `${messageOf(error)}\n${hint}`);
  });
  const url = given ?? (await managerUrl(config));
  if (password !== undefined) return { url, user: user ?? "", password };
  if (user !== undefined) return { url, user, password: await passwordOf(config, user) };
  const token = await readFile(join(config.instance.state_dir, "local.token"), "utf8").catch(() => null);
  if (token === null) {
    throw new CommandFailure(
      EXIT.failed,
      `the manager '${config.instance.name}' is not running (no ${join(config.instance.state_dir, "local.token")}). Start it with: mgr up`,
    );
  }
  return { url, token: token.trim() };
}

/** The address that the running manager wrote down (its port may have been chosen freely), else the configured one. */
async function managerUrl(config: Config): Promise<string> {
  const written = await readFile(join(config.instance.state_dir, "manager.url"), "utf8").catch(() => null);
  if (written !== null) return written.trim();
  const { host, port } = config.instance.manager;
  return `http://${host === "" ? "localhost" : host.includes(":") ? `[${host}]` : host}:${port}`;
}

async function passwordOf(config: Config, user: string): Promise<string> {
  const path = process.env.MGR_WEBUI_AUTH_FILE ?? config.instance.webui_auth_file;
  if (path === null || path === "") throw new CommandFailure(EXIT.failed, "no auth file is configured (instance.webui_auth_file)");
  for (const line of (await readNamed(path, "auth file")).split(/\r?\n/)) {
    const cut = line.search(/[ \t]/);
    if (cut > 0 && !line.startsWith("#") && line.slice(0, cut) === user) {
      const password = line.slice(cut + 1);
      if (!password.startsWith("$scrypt$")) return password;
      throw new CommandFailure(EXIT.failed, `${path} holds only a hash of ${user}'s password; give it with MGR_PASSWORD_FILE`);
    }
  }
  throw new CommandFailure(EXIT.notFound, `no user '${user}' in ${path}`);
}

async function readNamed(path: string, what: string): Promise<string> {
  return readFile(path, "utf8").catch((error: unknown) => {
    throw new CommandFailure(EXIT.failed, `cannot read the ${what} ${path}: ${messageOf(error)}`);
  });
}
