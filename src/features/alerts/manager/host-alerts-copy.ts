import type { HostSession } from "../../../app/hosts/host-session.ts";
import { NamedRows } from "../../../app/hosts/named-rows.ts";
import { RuleSender } from "../../../app/hosts/rule-sender.ts";
import type { Clock } from "../../../base/clock.ts";
import { type AlertEvent, type AlertRule, type HostAlert, hostAlert, MAX_RULES_AT_ONCE } from "../contract.ts";

interface HostAlertsCopyOptions {
  readonly session: HostSession;
  readonly clock: Clock;
  /** Names of the processes whose alerts the manager has of this host from an earlier session. */
  readonly known: Iterable<string>;
  readonly warn: (msg: string) => void;
  /** Called with each alert that has changed; null: there is none any more. */
  readonly changed: (name: string, alert: HostAlert | null) => void;
}

/** The alerts of one host, as it reports them. */
export class HostAlertsCopy {
  readonly session: HostSession;
  readonly rules: RuleSender<AlertRule>;
  readonly #rows: NamedRows<AlertEvent, HostAlert>;
  readonly #unsubscribe: () => void;

  constructor({ session, clock, known, warn, changed }: HostAlertsCopyOptions) {
    this.session = session;
    const { link } = session;
    this.rules = new RuleSender({
      session,
      atOnce: MAX_RULES_AT_ONCE,
      send: (id, part) => link.request("set_alert_rules", { session: id, ...part }),
      failed: (reason) => warn(`the alerts of host '${link.host}' could not be set: ${reason}`),
    });
    this.#rows = new NamedRows({
      session,
      clock,
      known,
      requestTable: (request) => link.request("alerts", request),
      rows: hostAlert.array(),
      rowOf: ({ alert }) => alert,
      changed,
    });
    this.#unsubscribe = link.listen({
      onNews: { alert: (event) => this.#rows.receive(event) },
      onHeartbeat: (heartbeat) => this.#rows.compare(heartbeat, heartbeat.alert_seq),
    });
  }

  /** Called when the host is ready. */
  begin(): void {
    this.#rows.begin();
  }

  close(): void {
    this.#unsubscribe();
    this.#rows.close();
  }

  /** Names of the processes with alerts on this host. */
  get names(): ReadonlySet<string> {
    return this.#rows.names;
  }
}
