import { MgrError } from "../../../src/base/errors.ts";
import type { Alerts } from "../../../src/features/alerts/manager/alerts.ts";
import { alertsExtension } from "../../../src/features/alerts/manager/index.ts";
import type { Alert } from "../../../src/features/alerts/wire.ts";
import { contains, type ViewMode } from "../../../src/transport/view.ts";

export const SILENT: Alert = { name: "sim/world", host: "testhost", silent: { since: "2026-11-21T08:14:02.000" }, output: null };
export const MATCHED: Alert = {
  name: "sim/world",
  host: "testhost",
  silent: null,
  output: { since: "2026-11-21T08:14:02.000", last: "2026-11-21T08:15:00.500", line: "ERROR: the arm is lost", matches: 3 },
};

/** Alerts that a test sets. */
export class FakeAlerts implements Alerts {
  readonly extension = alertsExtension(this);
  alerts: Alert[] = [];

  list(view: ViewMode): Alert[] {
    return this.alerts.filter(({ name }) => contains(view, name));
  }

  async clear(name: string): Promise<void> {
    if (name === "unknown") throw new MgrError("not_found", "there is no process 'unknown'");
    this.alerts = this.alerts.filter((alert) => alert.name !== name);
  }

  subscribe(): () => void {
    return () => {};
  }
}
