import { find, type Kind, select } from "../../../cli/manager/select.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";
import type { DaemonLogger } from "../wire.ts";

const LOGGER: Kind = { word: "logger", list: "mgr logger list" };

/** All loggers, or those selected by `names`. */
export async function findLoggers(client: ManagerClient, names: readonly string[]): Promise<DaemonLogger[]> {
  const { loggers } = await client.request({ type: "request_loggers" });
  return names.length === 0 ? loggers : select(loggers, names, LOGGER);
}

export async function findLogger(client: ManagerClient, name: string): Promise<DaemonLogger> {
  return find(await findLoggers(client, []), name, LOGGER);
}
