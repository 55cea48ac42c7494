import type { ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { watchDiskSpace } from "./disk-space.ts";
import { loadHistoryHandlers } from "./handlers.ts";
import type { LoadHistory } from "./load-history.ts";
import { ManagerLoadHistory } from "./manager-load-history.ts";
import { loadMetrics } from "./metrics.ts";

/** Load of processes and machines, now and in the past. */
export const loadHistory: ManagerFeature<LoadHistory> = {
  name: "load-history",
  attach({ clock, conditions, config, events, hosts, log, named, processes }) {
    const service = new ManagerLoadHistory({ clock, events, hosts, log, named, processes });
    const limit = () => config().instance.disk_nearly_full;
    conditions.addSource(() => watchDiskSpace({ clock, conditions, hosts, loads: service, limit }));
    return { service, ...loadHistoryExtension(service), close: () => service.close() };
  },
};

export function loadHistoryExtension(service: LoadHistory): FeatureExtension {
  return { transport: { handlers: loadHistoryHandlers(service) }, http: { metrics: loadMetrics(service) } };
}
