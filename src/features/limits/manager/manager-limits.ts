import { isDeepStrictEqual } from "node:util";
import type { ManagerCore } from "../../../app/feature.ts";
import { HostParts } from "../../../app/hosts/host-parts.ts";
import { MgrError, messageOf } from "../../../base/errors.ts";
import { Publisher } from "../../../base/publisher.ts";
import { formatTime } from "../../../protocol/time.ts";
import { contains, type ViewMode } from "../../../transport/view.ts";
import { reachedText } from "../client/limit-text.ts";
import type { HostLimits, HostReached } from "../contract.ts";
import type { LimitState, ReachedLimit } from "../wire.ts";
import { type HostLimitsCopy, hostLimitsCopy, rulesOf } from "./host-limits-copy.ts";
import { LimitActions } from "./limit-actions.ts";
import type { LimitChange, Limits } from "./limits.ts";

type ManagerLimitsOptions = Pick<
  ManagerCore,
  "clock" | "config" | "events" | "hostName" | "hosts" | "log" | "processes" | "stopProcess" | "system"
>;

/** The limits that processes of all hosts have reached. The hosts measure; what is done is decided here. */
export class ManagerLimits implements Limits {
  readonly #options: ManagerLimitsOptions;
  readonly #hosts: HostParts<HostLimitsCopy>;
  readonly #states = new Map<string, LimitState>();
  readonly #actions: LimitActions;
  readonly #changes: Publisher<LimitChange>;

  constructor(options: ManagerLimitsOptions) {
    this.#options = options;
    const { clock, events, hosts, log } = options;
    this.#actions = new LimitActions(options);
    this.#changes = new Publisher((error) => log.error(`a listener of limits failed: ${messageOf(error)}`));
    this.#hosts = new HostParts({
      hosts,
      events,
      make: (host, session) =>
        hostLimitsCopy({
          session,
          clock,
          known: [...this.#states.values()].flatMap((state) => (state.host === host ? state.name : [])),
          warn: (msg) => log.warn(msg),
          changed: (name, limits) => this.#changed(host, name, limits),
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

  list(view: ViewMode): LimitState[] {
    return [...this.#states.values()].filter(({ name }) => contains(view, name)).sort((a, b) => (a.name < b.name ? -1 : 1));
  }

  async clear(name: string, by: string): Promise<void> {
    const { hosts, log, processes } = this.#options;
    const state = this.#states.get(name);
    if (state === undefined) {
      if (processes.process(name) === undefined) throw new MgrError("not_found", `there is no process '${name}'`);
      return;
    }
    const session = hosts.session(state.host);
    if (session === null)
      throw new MgrError("host_unavailable", `host '${state.host}' is not connected: it keeps the reached limits of '${name}'`);
    await session.command((id) => session.link.request("clear_limits", { session: id, name }));
    log.info(`the reached limits of '${name}' were dismissed by ${by}`);
  }

  subscribe(listener: (change: LimitChange) => void): () => void {
    return this.#changes.subscribe(listener);
  }

  /** Called after each step of a process's actor. */
  stepped(name: string): void {
    // In a turn of its own: the step is not over yet.
    if (this.#states.has(name)) queueMicrotask(() => this.#actions.retry(name));
  }

  /** Sends the rules of the present configuration to all hosts. */
  reconfigure(): void {
    for (const [host, copy] of this.#hosts.all) this.#sendRules(host, copy);
    // A host that is away cannot report that its rules are gone.
    const { processes } = this.#options.config();
    for (const { name, host } of [...this.#states.values()]) {
      const definition = processes.get(name);
      if (definition === undefined || (definition.limits_act.length === 0 && definition.cgroup === null)) this.#changed(host, name, null);
    }
  }

  close(): void {
    this.#hosts.close();
  }

  #sendRules(host: string, { rules }: HostLimitsCopy): void {
    const { config, hostName } = this.#options;
    rules.send(rulesOf(config(), host, host === hostName));
  }

  #changed(host: string, name: string, reported: HostLimits | null): void {
    const before = this.#states.get(name) ?? null;
    // The process has moved: its limits are those of the other host.
    if (reported === null && before?.host !== host) return;
    const after = reported === null ? null : stateOf(host, reported);
    if (isDeepStrictEqual(before, after)) return;
    if (after === null) this.#states.delete(name);
    else this.#states.set(name, after);
    const { events } = this.#options;
    if (after === null) events.publish({ type: "limits_remove", name });
    else events.publish({ type: "limits_upsert", limits: after });
    this.#note(name, before, after);
    if (reported === null) this.#actions.forget(name);
    else this.#actions.receive(name, reported.reached);
  }

  #note(name: string, before: LimitState | null, after: LimitState | null): void {
    const { log } = this.#options;
    const problem = after?.cgroup_problem ?? null;
    if (problem !== null && problem !== before?.cgroup_problem) log.warn(`process '${name}': ${problem}`);
    const isIn = (state: LimitState | null, limit: ReachedLimit) => state?.reached.some((each) => isDeepStrictEqual(each, limit)) ?? false;
    for (const limit of before?.reached ?? []) if (!isIn(after, limit)) this.#publish("ended", name, before?.host ?? "", limit);
    for (const limit of after?.reached ?? []) {
      if (isIn(before, limit)) continue;
      // Other actions are logged when they are done.
      if (limit.action === "notify") log.warn(`process '${name}' needs attention: ${reachedText(limit)}`);
      this.#publish("reached", name, after?.host ?? "", limit);
    }
  }

  #publish(kind: LimitChange["kind"], name: string, host: string, limit: ReachedLimit): void {
    this.#changes.publish({ kind, name, host, limit, text: reachedText(limit) });
  }
}

function stateOf(host: string, { name, reached, cgroup_problem }: HostLimits): LimitState {
  return { name, host, reached: reached.map(reachedOf), cgroup_problem };
}

function reachedOf({ measure, value, above, over_ms, at, action, times }: HostReached): ReachedLimit {
  return { measure, value, above, over_ms: Math.round(over_ms), at: formatTime(at), action, times };
}
