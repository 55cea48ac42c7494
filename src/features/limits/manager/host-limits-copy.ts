import type { HostSession } from "../../../app/hosts/host-session.ts";
import { RuledRows } from "../../../app/hosts/ruled-rows.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import type { Config } from "../../../config/definition.ts";
import { processesAt } from "../../../config/processes-by-host.ts";
import { type HostLimits, hostLimits, type LimitRule, type LimitsEvent, MAX_RULES_AT_ONCE } from "../contract.ts";

interface HostLimitsCopyOptions {
  readonly session: HostSession;
  readonly clock: Clock;
  /** Names of the processes that the manager has of this host from an earlier session. */
  readonly known: Iterable<string>;
  readonly warn: (msg: string) => void;
  /** Called with each row that has changed; null: there is none any more. */
  readonly changed: (name: string, row: HostLimits | null) => void;
}

export type HostLimitsCopy = RuledRows<LimitRule, LimitsEvent, HostLimits>;

/** The reached limits of one host, as it reports them. */
export function hostLimitsCopy({ session, clock, known, warn, changed }: HostLimitsCopyOptions): HostLimitsCopy {
  const { link } = session;
  return new RuledRows<LimitRule, LimitsEvent, HostLimits>({
    session,
    rules: {
      atOnce: MAX_RULES_AT_ONCE,
      send: (id, part) => link.request("set_limit_rules", { session: id, ...part }),
      failed: (reason) => warn(`the limits of host '${link.host}' could not be set: ${reason}`),
    },
    rows: {
      clock,
      known,
      requestTable: (request) => link.request("limits", request),
      rows: hostLimits.array(),
      rowOf: ({ limits }) => limits,
      changed,
    },
    listen: (rows) =>
      link.listen({
        onNews: { limits: (event) => rows.receive(event) },
        onHeartbeat: (heartbeat) => rows.compare(heartbeat, heartbeat.limits_seq),
      }),
  });
}

/** The rules of the processes that are configured for a host. `isLocal`: it is the manager's own. */
export function rulesOf(config: Pick<Config, "processes">, host: string, isLocal: boolean): LimitRule[] {
  return processesAt(config, host, isLocal).flatMap(({ name, limits_act, cgroup }) =>
    limits_act.length > 0 || cgroup !== null ? [{ name, limits: [...limits_act], cgroup }] : [],
  );
}
