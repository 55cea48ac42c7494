import type { BusLog } from "../bus/bus.ts";
import { serveHost } from "../bus/host-link.ts";
import { connectBus } from "../bus/transport.ts";
import type { Host } from "./host.ts";

interface BusServiceOptions {
  host: Host;
  /** Path of the broker's unix socket. */
  socket: string;
  log: BusLog;
  /** Gives up waiting for a broker that is not there yet. */
  signal: AbortSignal;
}

export interface BusService {
  close(): Promise<void>;
}

/** Puts the host onto the bus: a connection for commands and events, one for output. Both come back by themselves for ever. */
export async function serveOnBus({ host, socket, log, signal }: BusServiceOptions): Promise<BusService> {
  const connect = (kind: string) =>
    connectBus({ server: { kind: "unix", path: socket }, name: `daemon ${host.host} ${kind}`, log, signal });
  const control = await connect("control");
  const bulk = await connect("bulk");
  const service = serveHost({ control, bulk, host, log });
  host.announce();
  return {
    async close() {
      service.close();
      await Promise.all([control.close(), bulk.close()]);
    },
  };
}
