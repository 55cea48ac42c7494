import { readFile } from "node:fs/promises";
import { join } from "node:path";
import type { RunningInstance } from "../app/running-instance.ts";
import { pause, systemClock } from "../base/clock.ts";
import { type AnyErrorCode, MgrError, messageOf } from "../base/errors.ts";
import { connect, type ManagerClient } from "../client/index.ts";
import { authFilePath } from "../config/auth-file-path.ts";
import { loadConfigFile } from "../config/load.ts";
import { parseAuthFile } from "../http/auth-entries.ts";
import { instanceInstead } from "./configuration.ts";
import { CommandFailure, EXIT } from "./exit-codes.ts";

/** Between two attempts to find a manager that went away, milliseconds. */
const AGAIN_MS = 500;
/** What another attempt does not mend. */
const REFUSED: ReadonlySet<AnyErrorCode> = new Set<AnyErrorCode>(["forbidden", "not_found", "bad_field"]);

export interface ConnectionFlags {
  url?: string;
  config?: string;
  user?: string;
  passwordFile?: string;
}

export interface Way {
  url: string;
  token?: string;
  user?: string;
  password?: string;
}

/**
 * Connects as the flags and the environment say (MGR_URL, MGR_USER, MGR_PASSWORD_FILE). What they leave open comes from
 * the configuration: the running manager's address, and the password of the auth file's entry, by default the first; where
 * that is hashed, the manager's local token (protocol-decisions, "HTTP").
 */
export async function connectManager(flags: ConnectionFlags): Promise<ManagerClient> {
  const { url, ...credentials } = await findWay(flags);
  try {
    return await connect(url, { ...credentials, retry: false });
  } catch (error) {
    if (!(error instanceof MgrError)) throw new CommandFailure(EXIT.usage, `${url}: ${messageOf(error)}`);
    if (error.code === "bad_field") throw new CommandFailure(EXIT.usage, error.message);
    if (error.code !== "host_unavailable") throw new CommandFailure(EXIT.failed, `${url}: ${error.message}`);
    throw new CommandFailure(EXIT.failed, `${error.message}\nIs the manager at ${url} running? Start it with: mgr up`);
  }
}

/**
 * Connects again after a connection was lost, as the configuration is by then: tries until the manager answers. Rejects when it
 * refuses the login, and when `signal` says that nobody wants it any more.
 */
export async function reconnectManager(flags: ConnectionFlags, signal: AbortSignal): Promise<ManagerClient> {
  for (;;) {
    await pause(systemClock, AGAIN_MS, signal);
    try {
      const { url, ...credentials } = await findWay(flags);
      const client = await connect(url, { ...credentials, retry: false });
      if (!signal.aborted) return client;
      client.close();
    } catch (error) {
      // A configuration or auth file that cannot be read may be in the middle of being written.
      if (error instanceof MgrError && REFUSED.has(error.code)) throw error;
    }
  }
}

/** Resolves when `stop` is called, rejects with what `fail` is called with; rejects when the connection ends before. */
export function whileConnected(client: ManagerClient, begin: (stop: () => void, fail: (error: unknown) => void) => void): Promise<void> {
  const { promise, resolve, reject } = withResolvers();
  const subscription = client.link.state$.subscribe((state) => {
    if (state.kind === "closed") reject(new CommandFailure(EXIT.failed, `the connection to the manager ended: ${state.reason}`));
  });
  begin(resolve, reject);
  return promise.finally(() => subscription.unsubscribe());
}

function withResolvers() {
  let resolve: () => void = () => {};
  let reject: (error: unknown) => void = () => {};
  const promise = new Promise<void>((fulfil, refuse) => {
    resolve = fulfil;
    reject = refuse;
  });
  return { promise, resolve, reject };
}

/** Where to connect, and as whom. */
export async function findWay(flags: ConnectionFlags): Promise<Way> {
  const user = flags.user ?? (process.env.MGR_USER || undefined);
  const passwordFile = flags.passwordFile ?? (process.env.MGR_PASSWORD_FILE || undefined);
  const password = passwordFile === undefined ? undefined : (await readNamed(passwordFile, "password file")).split(/\r?\n/)[0];
  const given = flags.url ?? (process.env.MGR_URL || undefined);
  if (given !== undefined && user !== undefined && password !== undefined) return { url: given, user, password };

  const path = flags.config ?? "mgr.yaml";
  const { instance } = await loadConfigFile(path).catch((error: unknown) => {
    const running = instanceInstead(path, error);
    if (running !== null) return { instance: running };
    const hint =
      given === undefined
        ? "Give the manager's address with --url, or its configuration with -c."
        : "Give user and password with --user and --password-file.";
    throw new CommandFailure(EXIT.usage, `${messageOf(error)}\n${hint}`);
  });
  const credentials = user !== undefined && password !== undefined ? { user, password } : await credentialsOf(instance, user, password);
  if (given !== undefined) return { url: given, ...credentials };
  const url = await managerUrl(instance);
  // Under https_only plain HTTP is for the local token alone.
  return { url: instance.https_only && !("token" in credentials) ? url.replace(/^http:/, "https:") : url, ...credentials };
}

/** The address that the running manager wrote down (its port may have been chosen freely), else the configured one. */
async function managerUrl(instance: RunningInstance): Promise<string> {
  const written = await readFile(join(instance.state_dir, "manager.url"), "utf8").catch(() => null);
  if (written !== null) return written.trim();
  const { host, port } = instance.manager;
  return `http://${host === "" ? "localhost" : host.includes(":") ? `[${host}]` : host}:${port}`;
}

async function credentialsOf(instance: RunningInstance, user: string | undefined, password: string | undefined): Promise<Omit<Way, "url">> {
  const path = authFilePath(instance);
  if (path === null) throw new CommandFailure(EXIT.failed, "no auth file is configured (instance.webui_auth_file)");
  const { entries } = parseAuthFile(await readNamed(path, "auth file"));
  const [first] = entries;
  const entry = user === undefined ? first : entries.find((each) => each.user === user);
  if (entry === undefined)
    throw new CommandFailure(EXIT.notFound, user === undefined ? `${path} has no user` : `no user '${user}' in ${path}`);
  if (password !== undefined) return { user: entry.user, password };
  const isLocalTokenBetter = instance.https_only && entry === first;
  if (entry.hash === null && !isLocalTokenBetter) return { user: entry.user, password: entry.secret };
  // The local token acts as the first entry's user.
  const token = entry === first ? await readFile(join(instance.state_dir, "local.token"), "utf8").catch(() => null) : null;
  if (token !== null) return { token: token.trim() };
  if (entry.hash === null) return { user: entry.user, password: entry.secret };
  throw new CommandFailure(
    EXIT.failed,
    `${path} holds only a hash of ${entry.user}'s password; give it with --password-file, or start the manager here: mgr up`,
  );
}

async function readNamed(path: string, what: string): Promise<string> {
  return readFile(path, "utf8").catch((error: unknown) => {
    throw new CommandFailure(EXIT.failed, `cannot read the ${what} ${path}: ${messageOf(error)}`);
  });
}
