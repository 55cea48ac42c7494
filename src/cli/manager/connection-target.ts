import { readFile } from "node:fs/promises";
import type { Socket } from "node:net";
import { join } from "node:path";
import type { RunningInstance } from "../../app/local-daemon/running-instance.ts";
import { messageOf } from "../../base/errors.ts";
import { portUser } from "../../bus/carriers/port-owner.ts";
import type { NodeConnectOptions } from "../../client/link/node-options.ts";
import { authFilePath } from "../../config/default-paths.ts";
import { UserNames } from "../../daemon/process/user-names.ts";
import { readStateText } from "../../files/state-file.ts";
import { parseAuthFile } from "../../http/auth/auth-entries.ts";
import { newsOfAbsence } from "../command/absence-sources.ts";
import { CommandFailure, EXIT } from "../command/exit-codes.ts";
import { loadInstance, upCommand } from "./configuration.ts";
import { countRuns, dialerOf, localSocketOf, operatorDialerOf } from "./local-instance.ts";

export interface ConnectionFlags {
  url?: string;
  socket?: string;
  config?: string;
  trustConfig?: boolean;
  profile?: string[];
  user?: string;
  passwordFile?: string;
  tokenFile?: string;
  caFile?: string;
}

/** Target and user of a connection: the local socket as the system user, else the manager's address as a web user. */
export type ConnectionTarget = { url: string; ca?: string } & (LocalSocket | Login);

interface LocalSocket {
  socket: string;
  dial: () => Socket;
}

type Login = Credentials & {
  /** Text for the user if the manager does not answer. */
  absent: string;
};

/** A web user with password, or an access token. */
type Credentials = { user: string; password: string } | { token: string };

/** URL for the local socket; its requests need a host name. */
const LOCAL_URL = "http://localhost";

/**
 * Finds the target as given by the flags and the environment (MGR_URL, MGR_USER, MGR_PASSWORD_FILE, MGR_TOKEN_FILE, MGR_TOKEN,
 * MGR_SOCKET, MGR_CA_FILE). Without them, it is the local socket of the manager that runs with the configuration on this machine. For a web
 * user, the rest comes from the configuration: the manager's address, and the password of the auth file's entry, by default the first.
 */
export async function findTarget(flags: ConnectionFlags): Promise<ConnectionTarget> {
  const operators = await operatorSocket(flags);
  if (operators !== null) return operators;
  const token = await tokenOf(flags);
  if (token !== undefined && (flags.user !== undefined || flags.passwordFile !== undefined))
    throw new CommandFailure(EXIT.usage, "give either an access token, or a user and a password");
  const user = token === undefined ? (flags.user ?? (process.env.MGR_USER || undefined)) : undefined;
  const passwordFile = flags.passwordFile ?? (token === undefined ? process.env.MGR_PASSWORD_FILE || undefined : undefined);
  const password = passwordFile === undefined ? undefined : (await readNamed(passwordFile, "password file")).split(/\r?\n/)[0];
  const url = flags.url ?? (process.env.MGR_URL || undefined);
  const caFile = flags.caFile ?? (process.env.MGR_CA_FILE || undefined);
  const trust = caFile === undefined ? {} : { ca: await readNamed(caFile, "file of certificate authorities") };
  const given = token !== undefined ? { token } : user !== undefined && password !== undefined ? { user, password } : null;
  if (url !== undefined) {
    const login = given ?? (await credentials(await authFileFor(flags), user, password));
    return { url, ...trust, ...login, absent: "Is a manager running there? On its machine, start it with: mgr up" };
  }

  const instance = await instanceOf(flags, "To connect to a manager without its configuration, give its address with --url.");
  const byPort = async (absent: string) => ({
    ...(given ?? (await credentials(authFilePath(instance), user, password))),
    ...trust,
    url: await managerUrl(instance),
    absent,
  });
  const socket = await localSocketOf(instance.state_dir);
  if (socket !== null && given === null && user === undefined && password === undefined)
    return { url: LOCAL_URL, socket, dial: await dialerOf(socket) };
  const absent = await absence(instance, upCommand(flags));
  if (given !== null || user !== undefined || password !== undefined) return byPort(absent);
  // The manager may run with another state folder, or on another machine whose port is forwarded.
  return byPort(absent).catch(() => {
    throw new CommandFailure(EXIT.failed, absent);
  });
}

/** The socket for operators that is named; null: none is. An address or a login among the flags wins over the environment. */
async function operatorSocket({ socket, url, user, passwordFile, tokenFile }: ConnectionFlags): Promise<ConnectionTarget | null> {
  const isElsewhere = [url, user, passwordFile, tokenFile].some((flag) => flag !== undefined);
  if (socket !== undefined && isElsewhere)
    throw new CommandFailure(EXIT.usage, "with --socket give neither --url nor a login: the manager knows the user of this command");
  const path = socket ?? (isElsewhere ? undefined : process.env.MGR_SOCKET || undefined);
  return path === undefined ? null : { url: LOCAL_URL, socket: path, dial: await operatorDialerOf(path) };
}

/** Options for `connect`. */
export function connectOptions(way: ConnectionTarget): Pick<NodeConnectOptions, "client" | "user" | "password" | "token" | "dial" | "ca"> {
  const client = "mgr";
  if ("socket" in way) return { client, dial: way.dial };
  const trust = way.ca === undefined ? {} : { ca: way.ca };
  return { client, ...("token" in way ? { token: way.token } : { user: way.user, password: way.password }), ...trust };
}

/** Place of the manager, for messages. */
export function placeOf(way: ConnectionTarget): string {
  return "socket" in way ? way.socket : way.url;
}

/** Text that says that the manager of this machine does not run, what its processes do, and what to do. */
async function absence(instance: RunningInstance, up: string): Promise<string> {
  const { name, state_dir, manager } = instance;
  const foreign = manager.port === 0 ? null : portUser(manager.port);
  if (foreign !== null && foreign !== process.geteuid?.()) {
    const users = new UserNames();
    users.refresh();
    const url = await managerUrl(instance);
    return `user '${users.of(foreign)}' runs the manager of '${name}', or another program on its port ${manager.port}. Run this command as that user, or as a web user with: --url ${url} --user USER`;
  }
  const runs = await countRuns(state_dir);
  const left = runs === 1 ? "1 process still runs" : `${runs} processes still run`;
  const news = await newsOfAbsence(state_dir);
  if (news !== null)
    return `the manager of '${name}' ${news}. ${left}. Start it now with: ${up}\nStop everything with: ${up.replace("mgr up", "mgr down")}`;
  if (runs === 0) return `'${name}' is not running. Start it with: ${up}`;
  return `the manager of '${name}' is not running, but ${left}, and the host restarts what fails. Take over with: ${up}\nStop everything with: ${up.replace("mgr up", "mgr down")}`;
}

/** Address of the manager's port, for links. */
export async function webAddress(flags: ConnectionFlags): Promise<string> {
  return flags.url ?? (process.env.MGR_URL || undefined) ?? managerUrl(await instanceOf(flags, "Give the manager's address with --url."));
}

/** The access token: an option wins over the environment, and options for a user win over a token of the environment. */
async function tokenOf({ tokenFile, user, passwordFile }: ConnectionFlags): Promise<string | undefined> {
  const isOther = user !== undefined || passwordFile !== undefined;
  const file = tokenFile ?? (isOther ? undefined : process.env.MGR_TOKEN_FILE || undefined);
  if (file === undefined) return isOther ? undefined : process.env.MGR_TOKEN || undefined;
  return (await readNamed(file, "token file")).trim();
}

async function instanceOf(flags: ConnectionFlags, hint: string): Promise<RunningInstance> {
  return loadInstance(flags.config, flags).catch((error: unknown) => {
    throw error instanceof CommandFailure ? new CommandFailure(error.exitCode, `${error.message}\n${hint}`) : error;
  });
}

/** Path of the auth file. With MGR_WEBUI_AUTH_FILE no configuration is needed. */
async function authFileFor(flags: ConnectionFlags): Promise<string | null> {
  const named = authFilePath({ webui_auth_file: null });
  if (named !== null) return named;
  return authFilePath(
    await instanceOf(flags, "Give user and password with --user and --password-file, or an auth file with MGR_WEBUI_AUTH_FILE."),
  );
}

/** The address that the running manager has written (its port may be any free one), else the configured one. */
async function managerUrl({ state_dir, manager: { host, port }, https_only }: RunningInstance): Promise<string> {
  const written = readStateText(join(state_dir, "manager.url"), { rootReadsAll: true });
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
