import { dialedSockets } from "../../../bus/carriers/dialed-sockets.ts";
import type { HostFeature } from "../../../daemon/host-feature.ts";
import { tcpInfo } from "../../../daemon/native/tcp-info.ts";
import type { NETWORK_REQUESTS } from "../contract.ts";
import { readInterfaces } from "./interfaces.ts";
import { NetworkMeter } from "./network-meter.ts";
import { NetworkReport } from "./network-report.ts";

export type { NetworkFigures, NetworkMeter } from "./network-meter.ts";

/** Network counters of the host and its broker. */
export const networkHost: HostFeature<keyof typeof NETWORK_REQUESTS, Pick<NetworkMeter, "subscribe">> = {
  begin({ clock, bus, lists, streams, owners }) {
    const report = new NetworkReport({
      clock,
      lists,
      bus,
      forwards: streams.counts,
      processNames: () => {
        const current = owners();
        return (pid) => current.of(pid);
      },
    });
    const readSockets = () =>
      new Map(
        [...dialedSockets].flatMap((socket) => {
          const info = tcpInfo(socket);
          return info === null ? [] : [[socket, info] as const];
        }),
      );
    return {
      service: new NetworkMeter({ clock, readInterfaces, readSockets }),
      handlers: {
        network: (request) => report.list(request),
        tcp_connections: () => report.tcpConnections(),
      },
    };
  },
};
