import type { HostSession } from "../../../app/hosts/host-session.ts";
import { RuledRows } from "../../../app/hosts/ruled-rows.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import { type AlertEvent, type AlertRule, type HostAlert, hostAlert, MAX_RULES_AT_ONCE } from "../contract.ts";

interface HostAlertsCopyOptions {
  readonly session: HostSession;
  readonly clock: Clock;
  /** Names of the processes that the manager has of this host from an earlier session. */
  readonly known: Iterable<string>;
  readonly warn: (msg: string) => void;
  /** Called with each row that has changed; null: there is none any more. */
  readonly changed: (name: string, row: HostAlert | null) => void;
}

export type HostAlertsCopy = RuledRows<AlertRule, AlertEvent, HostAlert>;

/** The alerts of one host, as it reports them. */
export function hostAlertsCopy({ session, clock, known, warn, changed }: HostAlertsCopyOptions): HostAlertsCopy {
  const { link } = session;
  return new RuledRows<AlertRule, AlertEvent, HostAlert>({
    session,
    rules: {
      atOnce: MAX_RULES_AT_ONCE,
      send: (id, part) => link.request("set_alert_rules", { session: id, ...part }),
      failed: (reason) => warn(`the alerts of host '${link.host}' could not be set: ${reason}`),
    },
    rows: {
      clock,
      known,
      requestTable: (request) => link.request("alerts", request),
      rows: hostAlert.array(),
      rowOf: ({ alert }) => alert,
      changed,
    },
    listen: (rows) =>
      link.listen({
        onNews: { alert: (event) => rows.receive(event) },
        onHeartbeat: (heartbeat) => rows.compare(heartbeat, heartbeat.alert_seq),
      }),
  });
}
