import type { HostFeature } from "../../../daemon/host-feature.ts";
import type { NETWORK_REQUESTS } from "../contract.ts";
import { NetworkReport } from "./network-report.ts";

/** Network counters of the host and its broker. */
export const networkHost: HostFeature<keyof typeof NETWORK_REQUESTS> = {
  begin({ clock, bus, streams, owners }) {
    const report = new NetworkReport({
      clock,
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
        network_page: ({ list, page }) => ({ data: report.page(list, page) }),
        tcp_connections: () => report.tcpConnections(),
      },
      close: () => report.close(),
    };
  },
};
