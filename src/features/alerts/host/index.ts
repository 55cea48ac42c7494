import type { HostFeature } from "../../../daemon/host-feature.ts";
import { readStat } from "../../../daemon/proc/proc.ts";
import type { ALERT_REQUESTS } from "../contract.ts";
import { HostAlerts } from "./host-alerts.ts";

export { Allowance } from "./allowance.ts";
export { LineBlocks } from "./line-blocks.ts";
export { LinePattern } from "./line-pattern.ts";

/** Watches the output of processes that have an alert. */
export const alertsHost: HostFeature<keyof typeof ALERT_REQUESTS> = {
  name: "alerts",
  begin({ clock, lists, log, publish, taken }) {
    const alerts = new HostAlerts({ clock, log, publish: (event) => publish("alert", event), isPaused, taken });
    return {
      service: null,
      handlers: {
        set_alert_rules: (table) => {
          alerts.receiveRules(table);
          return {};
        },
        alerts: () => ({ ...lists.pages.of(alerts.list()), seq: alerts.seq }),
        clear_alert: ({ name }) => {
          alerts.clear(name);
          return {};
        },
      },
      heartbeat: () => ({ alert_seq: alerts.seq }),
      output: (name, bytes) => alerts.output(name, bytes),
      runChanged: (_kind, { report, spec }) => alerts.runChanged(report, spec.ready !== null),
      close: () => alerts.close(),
      handOver: () => alerts.handOver(),
    };
  },
};

/** Stopped by a signal (T) or by a debugger (t). */
function isPaused(pid: number): boolean {
  return /^t$/i.test(readStat(pid)?.state ?? "");
}
