import { once } from "node:events";
import http, { type IncomingMessage } from "node:http";
import { text } from "node:stream/consumers";
import { unchangedInstance } from "../../../app/local-daemon/running-instance.ts";
import { configPath } from "../../../cli/manager/configuration.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { dialerOf, localSocketOf } from "../../../cli/manager/local-instance.ts";

/** A shell is not kept waiting for longer, milliseconds. */
const MAX_WAIT_MS = 1_000;
/** Variables that lead to another connection than the local socket. */
const CONNECTION_VARIABLES = ["MGR_URL", "MGR_SOCKET", "MGR_USER", "MGR_PASSWORD_FILE", "MGR_TOKEN", "MGR_TOKEN_FILE"];

interface NamesFlags extends ConnectionFlags {
  prefix: string;
}

/** `mgr completion names KIND…`: prints what the manager answers. Errors would spoil the line that is being typed: without a manager it prints nothing. */
export async function names(kinds: string[], { prefix, ...flags }: NamesFlags): Promise<void> {
  const deadline = setTimeout(() => process.exit(), MAX_WAIT_MS);
  const query = new URLSearchParams({ prefix });
  for (const kind of kinds) query.append("kind", kind);
  try {
    const path = `/mgr/names?${query}`;
    process.stdout.write(await text((await localResponse(path, flags)) ?? (await response(path, flags))));
  } catch {
    // No manager, no permission, or a manager of another version: there is nothing to complete.
  } finally {
    clearTimeout(deadline);
  }
}

/** The response of the local manager, with a third of the modules that other commands load; null: another way is needed. */
async function localResponse(path: string, { config, trustConfig: _trust, ...others }: ConnectionFlags): Promise<IncomingMessage | null> {
  if (Object.values(others).some((flag) => flag !== undefined) || CONNECTION_VARIABLES.some((name) => process.env[name])) return null;
  const instance = unchangedInstance(configPath(config));
  const socket = instance === null ? null : await localSocketOf(instance.state_dir);
  if (socket === null) return null;
  const [response] = (await once(http.get({ path, createConnection: await dialerOf(socket) }), "response")) as [IncomingMessage];
  if (response.statusCode !== 200) throw new Error(`the manager answered with status ${response.statusCode}`);
  return response;
}

async function response(path: string, flags: ConnectionFlags): Promise<IncomingMessage> {
  const [{ findTarget }, { httpGet }] = await Promise.all([
    import("../../../cli/manager/connection-target.ts"),
    import("../../../cli/manager/http-get.ts"),
  ]);
  return httpGet(await findTarget(flags), path);
}
