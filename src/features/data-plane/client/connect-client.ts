import { MgrError } from "../../../base/errors.ts";
import { checkOptions, FLAG, FUNCTION, objectWith, TEXT } from "../../../base/options.ts";
import { hasLength } from "../../../base/text/text-length.ts";
import { visible } from "../../../base/text/visible-text.ts";
import type { WarningLog } from "../../../base/throttled-warning.ts";
import type { Bus } from "../../../bus/client/bus.ts";
import { connectBus } from "../../../bus/client/connect-bus.ts";
import { DataClient } from "./data-client.ts";

export interface ConnectClientOptions {
  /** Shown to users; 1 to 128 characters. The variable MGR_CLIENT_NAME overrides it. */
  name: string;
  /** Address of the broker, `nats://TOKEN@HOST:PORT`; default: the variable MGR_BUS_URL, which mgr sets for every process. */
  url?: string;
  /** Cancels waiting for the broker. */
  signal?: AbortSignal;
  /** Revision of the program's sources, and whether they were modified; shown to users. */
  svnRevision?: number;
  modified?: boolean;
  /** Receives problems that the client recovers from, such as a lost connection; default: standard error. */
  log?: (level: "warning" | "error", message: string) => void;
}

const RULES = {
  name: TEXT,
  url: TEXT,
  signal: objectWith("addEventListener"),
  svnRevision: { is: "an integer", holds: Number.isSafeInteger },
  modified: FLAG,
  log: FUNCTION,
};
const MAX_NAME_LENGTH = 128;
const LIBRARY_VERSION = 1;
/** Maximum pause between two attempts to connect, milliseconds. */
const MAX_PAUSE_MS = 2_000;

/**
 * Connects a program to the bus: topics, services and parameters (docs/clients.md). Waits for the broker, and reconnects without limit. Rejects with
 * `bad_field` (name, address) and `host_unavailable` (`signal`).
 */
export async function connectClient(options: ConnectClientOptions): Promise<DataClient> {
  checkOptions("connectClient", options, RULES);
  const name = process.env.MGR_CLIENT_NAME || options.name;
  if (typeof name !== "string" || !hasLength(name, 1, MAX_NAME_LENGTH))
    throw new MgrError("bad_field", `the option 'name' of connectClient must have 1 to ${MAX_NAME_LENGTH} characters`);
  const url = options.url ?? process.env.MGR_BUS_URL ?? "";
  if (url === "")
    throw new MgrError(
      "bad_field",
      "there is no address of the bus: mgr sets MGR_BUS_URL for its processes; elsewhere, set it to the content of bus.url in the state folder",
    );
  const log = options.log ?? toStandardError(name);
  let problem: string | null = null;
  const bus = await connectBus({
    server: { kind: "url", urls: [url] },
    name,
    log,
    maxPauseMs: MAX_PAUSE_MS,
    ...(options.signal ? { signal: options.signal } : {}),
    // Reports each problem once, not at each attempt.
    onAttempt: (latest, place) => {
      if (latest !== null && latest !== problem) log("warning", `not connected to ${place}, trying again: ${latest}`);
      problem = latest;
    },
  });
  return registeredClient(bus, { ...options, name }, log);
}

/** Registers a program on a bus that is connected. */
export async function registeredClient(
  bus: Bus,
  { name, svnRevision = 0, modified = false }: Pick<ConnectClientOptions, "name" | "svnRevision" | "modified">,
  log: WarningLog,
): Promise<DataClient> {
  const client = new DataClient(
    bus,
    {
      name,
      pid: process.pid,
      library_version: LIBRARY_VERSION,
      svn_revision: svnRevision,
      modified,
      svc_debug: process.env.MGR_DEBUG === "1",
    },
    log,
  );
  await client.register();
  return client;
}

function toStandardError(name: string): WarningLog {
  return (level, message) => process.stderr.write(`${visible(name)}: ${level}: ${visible(message)}\n`);
}
