import { portsExtension } from "../../../src/features/ports/manager/index.ts";
import type { ListeningPort, ProcessPorts } from "../../../src/features/ports/wire.ts";

export const PORT: ListeningPort = { protocol: "tcp", address: "0.0.0.0", port: 8_080, pid: 4_711, own_network: false };

export const PORTS: ProcessPorts = {
  name: "sim/world",
  host: "testhost",
  complete: true,
  ports: [PORT, { ...PORT, address: "127.0.0.1", port: 5_432 }, { ...PORT, protocol: "udp", address: "::", port: 5_353 }],
};

/** One process with three ports. */
export class FakePorts {
  readonly extension = portsExtension(async () => ({ processes: [PORTS], away: ["gone"] }));
}
