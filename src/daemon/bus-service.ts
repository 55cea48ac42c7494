import { readFileSync } from "node:fs";
import { MgrError, messageOf } from "../base/errors.ts";
import type { Bus } from "../bus/client/bus.ts";
import { type BusServer, type ConnectBusOptions, connectBus } from "../bus/client/connect-bus.ts";
import { serveHost } from "../bus/host-link/host-link.ts";
import { answerReports } from "../bus/host-link/member-reports.ts";
import { daemonConnectionName } from "../contract/subjects.ts";
import type { Host } from "./host.ts";
import { DuplicateDaemonGuard } from "./session/duplicate-daemon-guard.ts";
import { readLockInfo } from "./session/lock-info.ts";
import type { StartOptions } from "./start-options.ts";

interface BusServiceOptions {
  host: Host;
  bus: StartOptions["bus"];
  /** Path of the lock file of this machine's manager. */
  managerLock: string;
  log: (level: "info" | "warning" | "error", msg: string) => void;
  /** Ends the wait for a broker. */
  signal: AbortSignal;
}

export interface BusService {
  close(): Promise<void>;
}

/** Longest pause between two attempts to reach a bus on another machine, milliseconds. */
const MAX_PAUSE_MS = 500;

/** Connects the host to the bus: one connection for commands and events, one for output. Both always reconnect. */
export async function serveOnBus(options: BusServiceOptions): Promise<BusService> {
  const { host, log } = options;
  const [control, bulk] = await Promise.all([connect(options, "control"), connect(options, "bulk")]);
  // On the manager's machine, the lock ensures that there is only one daemon.
  const speaker = "socket" in options.bus ? null : new DuplicateDaemonGuard({ control, host, log });
  const serve = () => {
    const service = serveHost({ control, bulk, host, log });
    return () => service.close();
  };
  const stop = speaker === null ? serve() : speaker.begin(serve);
  for (const bus of [control, bulk]) answerReports(bus);
  return {
    async close() {
      stop();
      await Promise.all([control.close(), bulk.close()]);
    },
  };
}

function connect({ host, bus, managerLock, log, signal }: BusServiceOptions, kind: "control" | "bulk"): Promise<Bus> {
  const name = daemonConnectionName(host.host, kind);
  const server = serverOf(bus, managerLock);
  if ("socket" in bus) return connectBus({ ...server, name, log, signal });
  const options: ConnectBusOptions = { ...server, name, log, signal, maxPauseMs: MAX_PAUSE_MS };
  // One of the two connections reports for both.
  return connectBus({ ...options, ...(kind === "control" ? { onAttempt: newsOnly(log) } : {}) });
}

/** The manager's address and the credentials for it. */
export function serverOf(bus: StartOptions["bus"], managerLock: string): Pick<ConnectBusOptions, "server" | "token"> {
  if ("socket" in bus) {
    // The runtime folder may vanish, and the next manager may use another one: the lock file says where it listens.
    const path = () => readLockInfo(managerLock)?.socket || bus.socket;
    return { server: { kind: "unix", path } };
  }
  const { urls, token_file, ca_file } = bus;
  const server: BusServer = { kind: "url", urls, ...(ca_file === null ? {} : { tls: { ca: readFileSync(ca_file, "utf8") } }) };
  return { server, ...(token_file === null ? {} : { token: () => readToken(token_file) }) };
}

/** Logs the outcome of connection attempts, each one only when it changes. */
function newsOnly(log: BusServiceOptions["log"]): NonNullable<ConnectBusOptions["onAttempt"]> {
  let reported: string | null | undefined;
  return (problem, place) => {
    if (problem === reported) return;
    reported = problem;
    if (problem === null) log("info", `reached ${place}`);
    else log("warning", `${place} cannot be reached; retrying: ${problem}`);
  };
}

/** Reads the token for each attempt: it may be replaced while the daemon runs. */
function readToken(path: string): string {
  try {
    return readFileSync(path, "utf8").trim();
  } catch (cause) {
    throw new MgrError("forbidden", `the token cannot be read: ${messageOf(cause)}`, { cause });
  }
}
