import type { HostSession } from "../../../app/hosts/host-session.ts";
import { NamedRows } from "../../../app/hosts/named-rows.ts";
import { RuleSender } from "../../../app/hosts/rule-sender.ts";
import type { Clock } from "../../../base/clock.ts";
import type { Config } from "../../../config/definition.ts";
import { type HostLimits, hostLimits, type LimitRule, type LimitsEvent, MAX_RULES_AT_ONCE } from "../contract.ts";

interface HostLimitsCopyOptions {
  readonly session: HostSession;
  readonly clock: Clock;
  /** Names of the processes that the manager has of this host from an earlier session. */
  readonly known: Iterable<string>;
  readonly warn: (msg: string) => void;
  /** Called with each row that has changed; null: there is none any more. */
  readonly changed: (name: string, limits: HostLimits | null) => void;
}

/** The reached limits of one host, as it reports them. */
export class HostLimitsCopy {
  readonly session: HostSession;
  readonly rules: RuleSender<LimitRule>;
  readonly #rows: NamedRows<LimitsEvent, HostLimits>;
  readonly #unsubscribe: () => void;

  constructor({ session, clock, known, warn, changed }: HostLimitsCopyOptions) {
    this.session = session;
    const { link } = session;
    this.rules = new RuleSender({
      session,
      atOnce: MAX_RULES_AT_ONCE,
      send: (id, part) => link.request("set_limit_rules", { session: id, ...part }),
      failed: (reason) => warn(`the limits of host '${link.host}' could not be set: ${reason}`),
    });
    this.#rows = new NamedRows({
      session,
      clock,
      known,
      requestTable: (request) => link.request("limits", request),
      rows: hostLimits.array(),
      rowOf: ({ limits }) => limits,
      changed,
    });
    this.#unsubscribe = link.listen({
      onNews: { limits: (event) => this.#rows.receive(event) },
      onHeartbeat: (heartbeat) => this.#rows.compare(heartbeat, heartbeat.limits_seq),
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

  /** Names of the processes with a row on this host. */
  get names(): ReadonlySet<string> {
    return this.#rows.names;
  }
}

/** The rules of the processes that are configured for a host. `isLocal`: it is the manager's own. */
export function rulesOf({ processes }: Pick<Config, "processes">, host: string, isLocal: boolean): LimitRule[] {
  return [...processes.values()].flatMap(({ name, limits_act, cgroup, host: configured }) =>
    (limits_act.length > 0 || cgroup !== null) && (configured === host || (configured === null && isLocal))
      ? [{ name, limits: [...limits_act], cgroup }]
      : [],
  );
}
