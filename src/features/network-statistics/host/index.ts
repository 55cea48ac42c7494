import type { HostFeature } from "../../../daemon/host-feature.ts";
import type { NETWORK_REQUESTS } from "../contract.ts";
import { NetworkReport } from "./network-report.ts";

/** Network counters of the host and its broker. */
export const networkHost: HostFeature<keyof typeof NETWORK_REQUESTS> = {
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
    return {
      service: null,
      handlers: {
        network: (request) => report.list(request),
        tcp_connections: () => report.tcpConnections(),
      },
    };
  },
};
