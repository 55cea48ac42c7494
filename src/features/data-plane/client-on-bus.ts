import type { WarningLog } from "../../base/throttled-warning.ts";
import type { Bus } from "../../bus/client/bus.ts";
import { registeredClient } from "./client/connect-client.ts";
import type { DataClient } from "./client/index.ts";

/** A client of a bus that is connected already, such as one in memory; closing the client closes the connection. */
export function clientOnBus(bus: Bus, name: string, log: WarningLog): Promise<DataClient> {
  return registeredClient(bus, { name }, log);
}
