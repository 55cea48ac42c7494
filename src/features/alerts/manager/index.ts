import type { ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import type { Alerts } from "./alerts.ts";
import { raiseCondition } from "./conditions.ts";
import { alertHandlers } from "./handlers.ts";
import { ManagerAlerts } from "./manager-alerts.ts";

/** Processes that need attention although they run: they are silent, or their output matched an expression. */
export const alerts: ManagerFeature<Alerts> = {
  name: "alerts",
  attach({ clock, conditions, config, events, hostName, hosts, log, processes }) {
    const service = new ManagerAlerts({ clock, config, events, hostName, hosts, log, processes });
    service.subscribe((change) => raiseCondition(conditions, change));
    return { service, ...alertsExtension(service), reconfigured: () => service.reconfigure(), close: () => service.close() };
  },
};

export function alertsExtension(service: Alerts): FeatureExtension {
  return { transport: { handlers: alertHandlers(service), snapshot: ({ view }) => ({ alerts: service.list(view) }) } };
}
