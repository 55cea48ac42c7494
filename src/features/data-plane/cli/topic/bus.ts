import { join } from "node:path";
import { messageOf } from "../../../../base/errors.ts";
import type { Bus } from "../../../../bus/client/bus.ts";
import { connectBus } from "../../../../bus/client/connect-bus.ts";
import { CommandFailure, EXIT } from "../../../../cli/command/exit-codes.ts";
import { loadInstance } from "../../../../cli/manager/configuration.ts";
import type { ConnectionFlags } from "../../../../cli/manager/connection-target.ts";
import { readStateText } from "../../../../files/state-file.ts";
import { connectClient, type DataClient } from "../../client/index.ts";

/** Time-out for connecting, milliseconds: a broker of this machine answers at once. */
const CONNECT_TIMEOUT_MS = 5_000;

/**
 * Address of the bus for programs of this machine: MGR_BUS_URL, which every process has, or `bus.url` of the configuration's instance. Null: there
 * is none, or --url or MGR_URL selects another manager.
 */
export async function busAddress(flags: ConnectionFlags): Promise<string | null> {
  const { url, config } = flags;
  if (url !== undefined) return null;
  if (config === undefined && process.env.MGR_BUS_URL) return process.env.MGR_BUS_URL;
  if (process.env.MGR_URL) return null;
  const { state_dir } = await loadInstance(config, flags);
  return readStateText(join(state_dir, "bus.url"), { rootReadsAll: true })?.trim() || null;
}

/** Fails if there is no address of the bus. `what` names the command that needs it: "mgr topic pub". */
export async function needBusAddress(flags: ConnectionFlags, what: string): Promise<string> {
  const address = await busAddress(flags);
  if (address !== null) return address;
  throw new CommandFailure(
    EXIT.failed,
    `${what} needs the bus of this machine, and there is no address of one: run it where processes run, while 'mgr up' or 'mgr daemon' runs, without --url; or set MGR_BUS_URL`,
  );
}

/** Connects as a registered client; `report` receives problems of the connection. */
export function connectData(url: string, name: string, report: (message: string) => void): Promise<DataClient> {
  return reached(url, (signal) => connectClient({ name, url, signal, log: (_level, message) => report(message) }));
}

/** Connects to the bare bus. */
export function connectPlain(url: string, name: string): Promise<Bus> {
  return reached(url, (signal) => connectBus({ server: { kind: "url", urls: [url] }, name, signal }));
}

async function reached<T>(url: string, connect: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(), CONNECT_TIMEOUT_MS);
  try {
    return await connect(limit.signal);
  } catch (error) {
    // The address contains a token.
    const { host } = new URL(url);
    throw new CommandFailure(EXIT.failed, `cannot reach the bus at ${host}: ${messageOf(error)}`);
  } finally {
    clearTimeout(timer);
  }
}
