import { isDeepStrictEqual } from "node:util";
import type { ManagerCore } from "../../../app/feature.ts";
import { HostParts } from "../../../app/hosts/host-parts.ts";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { Publisher } from "../../../base/publisher.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { formatTime } from "../../../protocol/time.ts";
import { contains, type ViewMode } from "../../../transport/view.ts";
import { alertReasons } from "../alert-text.ts";
import type { HostAlert } from "../contract.ts";
import type { Alert } from "../wire.ts";
import type { AlertChange, Alerts } from "./alerts.ts";
import { type HostAlertsCopy, hostAlertsCopy } from "./host-alerts-copy.ts";
import { rulesOf } from "./host-rules.ts";

type ManagerAlertsOptions = Pick<ManagerCore, "clock" | "config" | "events" | "hostName" | "hosts" | "log" | "processes">;

/** The alerts of all hosts. The hosts decide; a host that is lost keeps its last known ones here. */
export class ManagerAlerts implements Alerts {
  readonly #options: ManagerAlertsOptions;
  readonly #hosts: HostParts<HostAlertsCopy>;
  readonly #alerts = new Map<string, Alert>();
  readonly #changes: Publisher<AlertChange>;

  constructor(options: ManagerAlertsOptions) {
    this.#options = options;
    const { clock, events, hosts, log } = options;
    this.#changes = new Publisher((error) => log.error(`a listener of alerts failed: ${messageOf(error)}`));
    this.#hosts = new HostParts({
      hosts,
      events,
      make: (host, session) =>
        hostAlertsCopy({
          session,
          clock,
          known: [...this.#alerts.values()].flatMap((alert) => (alert.host === host ? alert.name : [])),
          warn: (msg) => log.warn(msg),
          changed: (name, alert) => this.#changed(host, name, alert),
        }),
      begin: (host, copy) => {
        this.#sendRules(host, copy);
        copy.begin();
      },
      removed: (copy) => {
        for (const name of copy?.names ?? []) this.#changed(copy?.session.link.host ?? "", name, null);
      },
    });
  }

  list(view: ViewMode): Alert[] {
    return [...this.#alerts.values()].filter(({ name }) => contains(view, name)).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async clear(name: string, by: string): Promise<void> {
    const { hosts, log, processes } = this.#options;
    const alert = this.#alerts.get(name);
    if (alert === undefined) {
      if (processes.process(name) === undefined) throw new MgrError("not_found", `there is no process '${name}'`);
      return;
    }
    const session = hosts.session(alert.host);
    if (session === null) throw new MgrError("host_unavailable", `host '${alert.host}' is not connected: it keeps the alert of '${name}'`);
    await session.command((id) => session.link.request("clear_alert", { session: id, name }));
    log.info(`the alert of '${name}' was dismissed by ${by}`, [name]);
  }

  subscribe(listener: (change: AlertChange) => void): () => void {
    return this.#changes.subscribe(listener);
  }

  /** Sends the rules of the present configuration to all hosts. */
  reconfigure(): void {
    for (const [host, copy] of this.#hosts.all) this.#sendRules(host, copy);
    // A host that is away cannot report that a rule is gone.
    const { processes } = this.#options.config();
    for (const { name, host } of [...this.#alerts.values()]) if (!processes.get(name)?.alert) this.#changed(host, name, null);
  }

  close(): void {
    this.#hosts.close();
  }

  #sendRules(host: string, { rules }: HostAlertsCopy): void {
    const { config, hostName } = this.#options;
    rules.send(rulesOf(config(), host, host === hostName));
  }

  #changed(host: string, name: string, reported: HostAlert | null): void {
    const before = this.#alerts.get(name) ?? null;
    // The process has moved: its alert is that of the other host.
    if (reported === null && before?.host !== host) return;
    const after = reported === null ? null : alertOf(host, reported);
    if (isDeepStrictEqual(before, after)) return;
    if (after === null) this.#alerts.delete(name);
    else this.#alerts.set(name, after);
    const { events } = this.#options;
    if (after === null) events.publish({ type: "alert_remove", name });
    else events.publish({ type: "alert_upsert", alert: after });
    this.#note(before, after);
  }

  #note(before: Alert | null, after: Alert | null): void {
    for (const reason of ["silent", "output"] as const) {
      const [was, is] = [before?.[reason] ?? null, after?.[reason] ?? null];
      if (before !== null && was !== null && was.since !== is?.since)
        this.#changes.publish({ kind: "cleared", reason, name: before.name, alert: before });
      if (after === null || is === null || was?.since === is.since) continue;
      this.#options.log.warn(`process '${after.name}' needs attention: ${this.#reason(after, reason)}`, [after.name]);
      this.#changes.publish({ kind: "raised", reason, name: after.name, alert: after });
    }
  }

  #reason(alert: Alert, reason: AlertChange["reason"]): string {
    const only = { silent: null, output: null, [reason]: alert[reason] };
    return alertReasons(only, { time: (timestamp) => timestamp, text: visible }).join("");
  }
}

function alertOf(host: string, { name, silent, output }: HostAlert): Alert {
  return {
    name,
    host,
    silent: silent && { since: formatTime(silent.since) },
    output: output && { ...output, since: formatTime(output.since), last: formatTime(output.last) },
  };
}
