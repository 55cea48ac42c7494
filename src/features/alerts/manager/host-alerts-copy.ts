import type { HostSession } from "../../../app/hosts/host-session.ts";
import { TableReplica } from "../../../app/hosts/table-replica.ts";
import type { Clock } from "../../../base/clock.ts";
import { type AlertEvent, type HostAlert, hostAlert } from "../contract.ts";
import { HostRules } from "./host-rules.ts";

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
  readonly rules: HostRules;
  readonly #names: Set<string>;
  readonly #changed: HostAlertsCopyOptions["changed"];
  readonly #table: TableReplica<AlertEvent, HostAlert>;
  readonly #unsubscribe: () => void;

  constructor({ session, clock, known, warn, changed }: HostAlertsCopyOptions) {
    this.session = session;
    this.#names = new Set(known);
    this.rules = new HostRules(session, warn);
    this.#changed = changed;
    this.#table = new TableReplica({
      session,
      clock,
      requestTable: (request) => session.link.request("alerts", request),
      rows: hostAlert.array(),
      changed: ({ name, alert }) => this.#apply(name, alert),
      replaced: (alerts) => this.#replace(alerts),
    });
    this.#unsubscribe = session.link.listen({
      onNews: { alert: (event) => this.#table.receive(event) },
      onHeartbeat: (heartbeat) => this.#table.compare(heartbeat, heartbeat.alert_seq),
    });
  }

  /** Called when the host is ready. */
  begin(): void {
    this.#table.begin();
  }

  close(): void {
    this.#unsubscribe();
    this.#table.close();
  }

  /** Names of the processes with alerts on this host. */
  get names(): ReadonlySet<string> {
    return this.#names;
  }

  #apply(name: string, alert: HostAlert | null): void {
    if (alert === null) this.#names.delete(name);
    else this.#names.add(name);
    this.#changed(name, alert);
  }

  #replace(alerts: readonly HostAlert[]): void {
    const present = new Set(alerts.map(({ name }) => name));
    for (const name of [...this.#names]) if (!present.has(name)) this.#apply(name, null);
    for (const alert of alerts) this.#apply(alert.name, alert);
  }
}
