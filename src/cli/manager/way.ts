import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunningInstance } from "../../app/local-daemon/running-instance.ts";
import { messageOf } from "../../base/errors.ts";
import type { NodeConnectOptions } from "../../client/index.ts";
import { authFilePath } from "../../config/auth-file-path.ts";
import { loadConfigFile } from "../../config/load/load.ts";
import { parseAuthFile } from "../../http/auth/auth-entries.ts";
import { CommandFailure, EXIT } from "../exit-codes.ts";
import { instanceInstead } from "./configuration.ts";
import { dialLocal, localSocketOf } from "./local-socket.ts";

export interface ConnectionFlags {
  url?: string;
  config?: string;
  user?: string;
  passwordFile?: string;
}

/** Where to connect, and as which user: over the local socket as the system user, else as a web user. */
export type Way = { url: string } & ({ socket: string } | { user: string; password: string });

/** Of the local socket; its requests need a name of a host. */
const LOCAL_URL = "http://localhost";

/**
 * As the flags and the environment say (MGR_URL, MGR_USER, MGR_PASSWORD_FILE). Without them the manager that runs with the
 * configuration on this machine is spoken to over its local socket. Where a web user is asked for, what is left open comes
 * from the configuration: the manager's address, and the password of the auth file's entry, by default the first.
 */
export async function findWay(flags: ConnectionFlags): Promise<Way> {
  const user = flags.user ?? (process.env.MGR_USER || undefined);
  const passwordFile = flags.passwordFile ?? (process.env.MGR_PASSWORD_FILE || undefined);
  const password = passwordFile === undefined ? undefined : (await readNamed(passwordFile, "password file")).split(/\r?\n/)[0];
  const url = flags.url ?? (process.env.MGR_URL || undefined);
  const given = user !== undefined && password !== undefined ? { user, password } : null;
  if (url !== undefined) return { url, ...(given ?? (await credentials(await authFileFor(flags), user, password))) };

  const instance = await instanceOf(flags, "Give the manager's address with --url, or its configuration with -c.");
  const byPort = async () => ({
    ...(given ?? (await credentials(authFilePath(instance), user, password))),
    url: await managerUrl(instance),
  });
  if (user !== undefined || password !== undefined) return byPort();
  const socket = await localSocketOf(instance.state_dir);
  if (socket !== null) return { url: LOCAL_URL, socket };
  // It may run on another machine, or with another state folder.
  return byPort().catch((error: unknown) => {
    throw new CommandFailure(
      EXIT.failed,
      `'${instance.name}' is not running here; start it with: mgr up\nNor can it be looked for at its port: ${messageOf(error)}`,
    );
  });
}

/** What `connect` takes. */
export function connectOptions(way: Way): Pick<NodeConnectOptions, "user" | "password" | "dial"> {
  return "socket" in way ? { dial: () => dialLocal(way.socket) } : { user: way.user, password: way.password };
}

/** In words. */
export function placeOf(way: Way): string {
  return "socket" in way ? way.socket : way.url;
}

async function instanceOf(flags: ConnectionFlags, hint: string): Promise<RunningInstance> {
  const path = flags.config ?? "mgr.yaml";
  const { instance } = await loadConfigFile(path).catch((error: unknown) => {
    const running = instanceInstead(path, error);
    if (running !== null) return { instance: running };
    throw new CommandFailure(EXIT.usage, `${messageOf(error)}\n${hint}`);
  });
  return instance;
}

/** With MGR_WEBUI_AUTH_FILE no configuration is needed. */
async function authFileFor(flags: ConnectionFlags): Promise<string | null> {
  const named = authFilePath({ webui_auth_file: null });
  if (named !== null) return named;
  return authFilePath(
    await instanceOf(flags, "Give user and password with --user and --password-file, or an auth file with MGR_WEBUI_AUTH_FILE."),
  );
}

/** The address that the running manager wrote down (its port may have been chosen freely), else the configured one. */
async function managerUrl({ state_dir, manager: { host, port }, https_only }: RunningInstance): Promise<string> {
  const written = await readFile(join(state_dir, "manager.url"), "utf8").catch(() => null);
  const url = written?.trim() ?? `http://${host === "" ? "localhost" : host.includes(":") ? `[${host}]` : host}:${port}`;
  return https_only ? url.replace(/^http:/, "https:") : url;
}

async function credentials(
  path: string | null,
  user: string | undefined,
  password: string | undefined,
): Promise<{ user: string; password: string }> {
  if (path === null) throw new CommandFailure(EXIT.failed, "no auth file is configured (instance.webui_auth_file)");
  const { entries } = parseAuthFile(await readNamed(path, "auth file"));
  const entry = user === undefined ? entries[0] : entries.find((each) => each.user === user);
  if (entry === undefined)
    throw new CommandFailure(EXIT.notFound, user === undefined ? `${path} has no user` : `no user '${user}' in ${path}`);
  if (password !== undefined) return { user: entry.user, password };
  if (entry.hash === null) return { user: entry.user, password: entry.secret };
  throw new CommandFailure(EXIT.failed, `${path} holds only a hash of ${entry.user}'s password; give it with --password-file`);
}

async function readNamed(path: string, what: string): Promise<string> {
  return readFile(path, "utf8").catch((error: unknown) => {
    throw new CommandFailure(EXIT.failed, `cannot read the ${what} ${path}: ${messageOf(error)}`);
  });
}
