import { isDeepStrictEqual } from "node:util";
import type { ConfigurationChange } from "../../actors/control.ts";
import type { DomainEvents } from "../../actors/domain-events.ts";
import { BY_CONFIGURATION } from "../../actors/process/process-types.ts";
import type { ActorSystem } from "../../actors/system.ts";
import { MgrError } from "../../base/errors.ts";
import { ancestorNames } from "../../base/text/names.ts";
import type { Config, ProcessDefinition } from "../../config/definition.ts";
import { differencesOf } from "../../config/differences.ts";
import {
  appliedSettings,
  fixedSettings,
  type HostChange,
  hostChanges,
  isSameDefinition,
  type Plan,
  planChanges,
  reloadedSettings,
} from "../../config/plan.ts";
import type { LogBook } from "../../log/log-book.ts";
import type { ProcessState } from "../../protocol/resources/resources.ts";
import type { HostTokens } from "../engine-options.ts";
import type { HostTable } from "../hosts/host-table.ts";
import type { Hosts } from "../hosts/hosts.ts";
import type { ProcessActors } from "../processes/process-actors.ts";
import type { ProcessTable } from "../processes/process-table.ts";
import type { IntentKeeper } from "../state/intent-keeper.ts";
import { requestedAtBoot } from "../state/intent-keeper.ts";

interface ReloadOptions {
  processTable: ProcessTable;
  system: ActorSystem;
  events: DomainEvents;
  log: LogBook;
  actors: ProcessActors;
  intents: IntentKeeper;
  hosts: Hosts;
  hostTable: HostTable;
  tokens: HostTokens | null;
}

/** States of processes that do not run yet, but are about to. */
const STARTING_STATES: ReadonlySet<ProcessState> = new Set<ProcessState>(["waiting", "backoff"]);

/**
 * Replaces one configuration by another, in one synchronous turn (docs/design/runtime-invariants.md, "Reload"). Only differences are
 * applied: an unchanged process keeps its actor and its pid. A removed process that is still alive is retiring: it is stopped, and removed
 * when nothing of it is left; adding its name again cancels that.
 */
export class Reload {
  readonly #options: ReloadOptions;
  /** The newest configuration, without retiring processes. */
  #latest: Config;
  /** The manager's own processes, which are in no configuration file. */
  readonly #own = new Map<string, ProcessDefinition>();

  constructor(options: ReloadOptions) {
    this.#options = options;
    this.#latest = options.processTable.config;
  }

  /** Begins with this configuration, and with the own processes of an earlier manager. Called before the actors are created. */
  restore(config: Config, own: readonly ProcessDefinition[]): void {
    const isOther = config !== this.#latest;
    this.#latest = config;
    for (const definition of own) this.#own.set(definition.name, definition);
    if (isOther || own.length > 0) this.#install();
  }

  /** Adds a process that is in no configuration file, or replaces its definition. */
  addOwn(definition: ProcessDefinition): void {
    const { name } = definition;
    const known = this.#own.get(name);
    if (known !== undefined && isSameDefinition(known, definition)) return;
    const { actors, system, events } = this.#options;
    this.#own.set(name, definition);
    this.#install();
    if (known !== undefined) {
      system.send("process", name, { type: "definition", definition });
      return;
    }
    actors.spawn(name, "stop");
    actors.sendRunReport(name);
    this.#publish(name);
    events.publish({ type: "tree_changed" });
  }

  /** Returns the changes that `apply` would make. Throws `conflict` if `apply` would. */
  plan(next: Config): ConfigurationChange {
    this.#checkNames(next);
    const plan = planChanges(this.#latest.processes, next.processes);
    const { processTable } = this.#options;
    const needed = [...next.processes].filter(([name, definition]) => processTable.needsRestart(name, definition));
    return {
      ...plan,
      restart_needed: needed.map(([name]) => name),
      starts: this.#starts(plan, next),
      stops: plan.removed.filter((name) => !processTable.isGone(name)),
      differences: differencesOf(plan.changed, this.#latest.processes, next.processes),
      hosts: this.#hostChanges(next),
      settings: appliedSettings(this.#latest, next),
      manager_restart_needed: fixedSettings(this.#latest, next),
    };
  }

  /** Processes that `apply` starts: added ones with autostart, those whose start was requested when they were removed, and their dependencies. */
  #starts({ added, changed }: Plan, next: Config): string[] {
    const { processTable, intents } = this.#options;
    const again = added.filter((name) => processTable.retiring.get(name)?.requested === true);
    const fresh = added.filter((name) => !processTable.retiring.has(name));
    const pendingStarts = this.#pendingStarts(changed);
    const requested = requestedAtBoot([...fresh, ...pendingStarts], next, intents);
    return [...again, ...[...requested].filter((name) => !pendingStarts.includes(name) && processTable.isGone(name))];
  }

  #hostChanges({ hosts }: Config): HostChange[] {
    return hostChanges(this.#latest.hosts, hosts, this.#options.tokens?.changed() ?? []);
  }

  #pendingStarts(names: readonly string[]): string[] {
    return names.filter((name) => STARTING_STATES.has(this.#options.processTable.stateOf(name) ?? "stopped"));
  }

  /** Throws `conflict`, and changes nothing, while a retiring process or group still uses a name of `next`. */
  apply(next: Config): ConfigurationChange {
    this.#checkNames(next);
    const { processTable, system, events, actors, intents } = this.#options;
    const before = this.#latest;
    const plan = planChanges(before.processes, next.processes);
    const starts = this.#starts(plan, next);
    const fixed = fixedSettings(before, next);
    const hosts = this.#hostChanges(next);
    this.#noteFixed(fixed);
    this.#latest = { ...next, instance: reloadedSettings(before.instance, next.instance) };

    const revived = plan.added.filter((name) => processTable.retiring.has(name));
    const requestedAgain = revived.filter((name) => processTable.retiring.get(name)?.requested === true);
    for (const name of revived) processTable.retiring.delete(name);
    const retired = plan.removed.filter((name) => !processTable.isGone(name));
    for (const name of retired) this.#retire(name, before.processes.get(name));
    const gone = plan.removed.filter((name) => !processTable.retiring.has(name));
    this.#install();
    for (const name of gone) this.#drop(name);

    const fresh = plan.added.filter((name) => !revived.includes(name));
    for (const name of fresh) {
      actors.spawn(name, "stop");
      actors.sendRunReport(name);
      this.#publish(name);
    }
    for (const name of [...plan.changed, ...revived]) {
      const definition = next.processes.get(name);
      if (definition === undefined) continue;
      system.send("process", name, { type: "definition", definition });
      if (before.processes.get(name)?.host !== definition.host) actors.moved(name);
    }
    for (const name of retired) actors.sendCommand(name, { type: "stop", by: BY_CONFIGURATION });
    // Processes that are about to run may have new dependencies.
    const pendingStarts = this.#pendingStarts(plan.changed);
    const requested = [...requestedAtBoot([...fresh, ...pendingStarts], processTable.config, intents)].filter(
      (name) => !pendingStarts.includes(name),
    );
    for (const name of [...requestedAgain, ...requested]) actors.sendCommand(name, { type: "start", by: BY_CONFIGURATION });
    for (const name of retired) this.#awaitEnd(name);
    this.#moveFromRemovedHosts();
    this.#showAgain(before, plan.unchanged);
    if (!isDeepStrictEqual([before.hosts, before.nodes], [next.hosts, next.nodes]))
      for (const host of this.#options.hosts.entries()) events.publish({ type: "host_upsert", host });
    this.#options.tokens?.renew();
    events.publish({ type: "tree_changed" });
    return {
      ...plan,
      restart_needed: [...next.processes.keys()].filter((name) => processTable.needsRestart(name)),
      starts,
      stops: retired,
      differences: differencesOf(plan.changed, before.processes, next.processes),
      hosts,
      settings: appliedSettings(before, next),
      manager_restart_needed: fixed,
    };
  }

  /** Processes on a host that is no longer configured are stopped there, then started where they are configured now. */
  #moveFromRemovedHosts(): void {
    const { hosts, hostTable, processTable, actors, events } = this.#options;
    if (hostTable.leaving().length === 0) return;
    for (const name of processTable.names()) {
      const host = processTable.hostOf(name);
      if (host === null || !hostTable.isLeaving(host) || processTable.retiring.has(name) || processTable.isGone(name)) continue;
      actors.sendCommand(name, {
        type: processTable.process(name)?.requested_state === "start" ? "restart" : "stop",
        by: BY_CONFIGURATION,
      });
    }
    const unsubscribe = events.subscribe(() => {
      hosts.release();
      if (hostTable.leaving().length === 0) unsubscribe();
    });
    hosts.release();
  }

  /** Throws `conflict` if a retiring process or one of its groups has the name of a new group or process. */
  #checkNames(next: Config): void {
    for (const name of this.#options.processTable.retiring.keys()) {
      if (next.processes.has(name)) continue;
      const clash = next.groups.has(name) ? name : ancestorNames(name).find((group) => next.processes.has(group));
      if (clash === undefined) continue;
      throw new MgrError("conflict", `'${clash}' cannot be used yet: process '${name}' was removed and is still being stopped; try again`);
    }
  }

  #retire(name: string, definition: ProcessDefinition | undefined): void {
    const { processTable, log } = this.#options;
    if (definition === undefined) return;
    processTable.retiring.set(name, { definition, requested: processTable.process(name)?.requested_state === "start" });
    log.info(`process '${name}' is not configured any more: it is stopped, then removed`, [name]);
  }

  /** Puts the configured and the retiring processes into effect; adds and removes groups. */
  #install(): void {
    const { processTable, system, actors } = this.#options;
    const before = processTable.config;
    const processes = new Map(this.#latest.processes);
    const groups = new Map(this.#latest.groups);
    const others = [...this.#own.values(), ...[...processTable.retiring.values()].map(({ definition }) => definition)];
    for (const definition of others) {
      const { name } = definition;
      processes.set(name, definition);
      for (const group of ancestorNames(name)) if (!groups.has(group)) groups.set(group, before.groups.get(group) ?? { opened: true });
    }
    processTable.replaceConfig({ ...this.#latest, processes, groups });
    this.#options.hosts.configure(this.#latest);
    for (const name of before.groups.keys()) if (!groups.has(name)) system.stop("group", name);
    for (const name of groups.keys()) if (!before.groups.has(name)) actors.spawnGroup(name);
  }

  /** Removes a retiring process when nothing of it is left, which is checked after each event of its actor. */
  #awaitEnd(name: string): void {
    const { processTable, system } = this.#options;
    const check = () => {
      if (!processTable.retiring.has(name)) return subscription?.unsubscribe();
      if (!processTable.isGone(name)) return;
      subscription?.unsubscribe();
      processTable.retiring.delete(name);
      this.#install();
      this.#drop(name);
      this.#options.events.publish({ type: "tree_changed" });
    };
    // An actor that fails is rebuilt at the same address, in the same turn.
    const again = () => queueMicrotask(() => processTable.retiring.has(name) && this.#awaitEnd(name));
    const actor = system.get("process", name);
    const subscription = actor?.subscribe({ next: () => queueMicrotask(check), error: again });
    check();
  }

  #drop(name: string): void {
    const { processTable, system, events, log, intents } = this.#options;
    const last = processTable.stateOf(name);
    system.stop("process", name);
    processTable.forget(name);
    // A start request must not apply to a later process of the same name.
    intents.forgetStart(name);
    void intents.flush();
    events.publish({ type: "process_remove", name });
    for (const group of ancestorNames(name)) system.send("group", group, { type: "removed", name });
    log.info(`process '${name}' is removed${last === undefined ? "" : ` (it was ${last})`}`, [name]);
  }

  /** Publishes unchanged processes again if the start tools changed: these are shown with every process. */
  #showAgain(before: Config, unchanged: readonly string[]): void {
    const { processTable } = this.#options;
    if (JSON.stringify(before.instance.start_tools) === JSON.stringify(this.#latest.instance.start_tools)) return;
    processTable.projectAgain();
    for (const name of unchanged) this.#publish(name);
  }

  #publish(name: string): void {
    const process = this.#options.processTable.process(name);
    if (process) this.#options.events.publish({ type: "process_upsert", process });
  }

  #noteFixed(keys: readonly string[]): void {
    if (keys.length === 0) return;
    const msg = `${keys.join(", ")} changed: that acts at the next start of the manager`;
    this.#options.log.warn(msg);
  }
}
