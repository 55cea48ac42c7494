import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { unchangedInstance } from "../../../app/local-daemon/running-instance.ts";
import { configPath } from "../../../cli/manager/config-path.ts";
import { dialerOf, localSocketOf } from "../../../cli/manager/local-instance.ts";

/** A shell is not kept waiting for longer, milliseconds. */
export const MAX_WAIT_MS = 1_000;
/** Variables that lead to another connection than the local socket. */
const CONNECTION_VARIABLES = ["MGR_URL", "MGR_SOCKET", "MGR_USER", "MGR_PASSWORD_FILE", "MGR_TOKEN", "MGR_TOKEN_FILE"];

export interface NamesRequest {
  readonly kinds: readonly string[];
  readonly prefix: string;
}

/** Address of the names at a manager. */
export function namesPath({ kinds, prefix }: NamesRequest): string {
  const query = new URLSearchParams({ prefix });
  for (const kind of kinds) query.append("kind", kind);
  return `/mgr/names?${query}`;
}

/** Lines of names from the manager of this machine with this configuration; null: it has to be found in another way. Rejects if it does not answer. */
export async function localNames(request: NamesRequest, config: string | undefined): Promise<string | null> {
  if (CONNECTION_VARIABLES.some((name) => process.env[name])) return null;
  const instance = unchangedInstance(configPath(config));
  const socket = instance === null ? null : await localSocketOf(instance.state_dir);
  if (socket === null) return null;
  const [response] = (await once(http.get({ path: namesPath(request), createConnection: await dialerOf(socket) }), "response")) as [
    IncomingMessage,
  ];
  if (response.statusCode !== 200) throw new Error(`the manager answered with status ${response.statusCode}`);
  return text(response);
}
