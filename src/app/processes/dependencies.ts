import { MAX_DURATION_MS } from "../../base/timing/clock.ts";
import type { Config, Dependency, ProcessDefinition } from "../../config/definition.ts";
import { stopRanks } from "../../config/run-spec.ts";
import { meetsCondition, type RunCheck } from "../../contract/run.ts";
import { isRunningState, type ProcessState } from "../../protocol/resources/resources.ts";

/** The facts about a process that the rules below need. */
export interface DependencyFacts {
  state: ProcessState;
  /** Whether its state is not known: its host has not reported, or not since its daemon died. */
  unknown: boolean;
  requested: "start" | "stop";
  hasReadyState: boolean;
  /** Whether its newest run succeeded; null while it runs or if it never ran. */
  lastRunSucceeded: boolean | null;
  /** Checks of features that its present run has; omitted: none. */
  checks?: readonly RunCheck[];
}

export interface Unmet {
  /** Names of dependencies that do not hold yet. */
  missing: string[];
  /** Names a dependency that can never hold by itself, with the reason; null: all may still hold. */
  impossible: string | null;
}

/** Returns the dependencies of `definition` that do not hold (docs/design/wire-rules.md, "States and transitions"). */
export function unmetDependencies(definition: ProcessDefinition, facts: (name: string) => DependencyFacts | undefined): Unmet {
  const unmet: Unmet = { missing: [], impossible: null };
  for (const dependency of definition.depends_on) {
    const fact = facts(dependency.name);
    if (fact && holds(dependency, fact)) continue;
    unmet.missing.push(dependency.name);
    unmet.impossible ??= hopeless(dependency, fact);
  }
  return unmet;
}

function holds({ condition }: Dependency, fact: DependencyFacts): boolean {
  const running = isRunningState(fact.state);
  // In backoff, under `restart: always`, its next run has not begun either.
  if (condition === "completed")
    return (fact.state === "stopped" || fact.state === "backoff") && !fact.unknown && fact.lastRunSucceeded === true;
  if (condition === "started") return running;
  if (condition === "ready") return fact.hasReadyState ? fact.state === "ready" : running;
  return running && meetsCondition(fact.checks, condition);
}

function hopeless({ name, condition }: Dependency, fact: DependencyFacts | undefined): string | null {
  if (!fact) return `dependency '${name}' does not exist any more`;
  if (fact.unknown) return null;
  if (fact.state === "error") return `dependency '${name}' failed`;
  if (fact.state !== "stopped") return null;
  if (fact.requested === "stop") return `dependency '${name}' was stopped`;
  if (fact.lastRunSucceeded === true && condition !== "completed") return `dependency '${name}' has ended, but must be running`;
  return null;
}

/** Maximum number of processes of one host that get a command in succession: their requests share packets. */
const HOST_BUNDLE = 8;

/** Time that a stop may take after its last step, milliseconds. */
const AFTER_LAST_STEP_MS = 10_000;

/** Index of the dependencies in a configuration. */
interface DependencyIndex {
  readonly of: Config;
  readonly ranks: ReadonlyMap<string, number>;
  readonly dependents: ReadonlyMap<string, readonly string[]>;
  readonly stopTimes: ReadonlyMap<string, number>;
  /** For each process, the name of one of those that it is connected to by dependencies; the same for all of them. */
  readonly clusters: ReadonlyMap<string, string>;
}

/** Dependencies and dependents of each process. */
export class DependencyGraph {
  readonly #config: () => Config;
  #index: DependencyIndex | null = null;

  constructor(config: () => Config) {
    this.#config = config;
  }

  /** Sorts `names` so that each is after its dependencies; otherwise names of the same host are in bundles, in the order given. */
  inStartOrder(names: Iterable<string>): string[] {
    const { of, ranks } = this.#indexed();
    return inBundles(inOrder(names, ranks), (name) => `${ranks.get(name) ?? 0} ${of.processes.get(name)?.host ?? ""}`);
  }

  /** All processes that stop with `names`, transitively, the outermost first, without `names`. */
  dependents(names: Iterable<string>): string[] {
    const given = new Set(names);
    const found = new Set(given);
    // Iterating a set includes elements that are added meanwhile.
    for (const name of found) for (const dependent of this.directDependents(name)) found.add(dependent);
    return this.inStartOrder([...found].filter((name) => !given.has(name))).reverse();
  }

  /** The stop rank of `name`, higher than those of all its dependencies: the highest rank stops first. */
  stopRank(name: string): number {
    return this.#indexed().ranks.get(name) ?? 0;
  }

  /** Processes that have `name` in depends_on and do not keep running without it. */
  directDependents(name: string): readonly string[] {
    return this.#indexed().dependents.get(name) ?? [];
  }

  /** Groups the items of processes that depend on each other, directly or indirectly; otherwise keeps the order given. */
  together<T>(items: readonly T[], nameOf: (item: T) => string): T[][] {
    const { clusters } = this.#indexed();
    const batches = new Map<string, T[]>();
    for (const item of items) {
      const name = nameOf(item);
      const cluster = clusters.get(name) ?? name;
      const batch = batches.get(cluster);
      if (batch) batch.push(item);
      else batches.set(cluster, [item]);
    }
    return [...batches.values()];
  }

  /** Upper limit for the stops of everything that stops with `name`, one after the other, milliseconds. */
  stopTimeOfDependents(name: string): number {
    return Math.min(this.#indexed().stopTimes.get(name) ?? 0, MAX_DURATION_MS);
  }

  /** Upper limit for stopping everything, in the order of its dependencies, milliseconds. */
  stopTimeOfAll(): number {
    const { of, stopTimes } = this.#indexed();
    const times = [...stopTimes].map(([name, before]) => before + ownStopTime(of.processes.get(name)));
    return Math.min(
      times.reduce((longest, time) => Math.max(longest, time), 0),
      MAX_DURATION_MS,
    );
  }

  #indexed(): DependencyIndex {
    const config = this.#config();
    if (this.#index?.of !== config) this.#index = indexDependencies(config);
    return this.#index;
  }
}

function indexDependencies(config: Config): DependencyIndex {
  const ranks = stopRanks(config);
  const dependents = new Map<string, string[]>();
  for (const definition of config.processes.values()) {
    for (const { name, on_stop } of definition.depends_on) {
      if (on_stop === "keep") continue;
      const known = dependents.get(name);
      if (known) known.push(definition.name);
      else dependents.set(name, [definition.name]);
    }
  }
  const stopTimes = new Map<string, number>();
  for (const name of inOrder(config.processes.keys(), ranks).reverse()) {
    const times = (dependents.get(name) ?? []).map((each) => ownStopTime(config.processes.get(each)) + (stopTimes.get(each) ?? 0));
    stopTimes.set(
      name,
      times.reduce((longest, time) => Math.max(longest, time), 0),
    );
  }
  return { of: config, ranks, dependents, stopTimes, clusters: clustersOf(config) };
}

function clustersOf(config: Config): Map<string, string> {
  const neighbours = new Map<string, string[]>([...config.processes.keys()].map((name) => [name, []]));
  for (const definition of config.processes.values()) {
    for (const { name } of definition.depends_on) {
      neighbours.get(name)?.push(definition.name);
      neighbours.get(definition.name)?.push(name);
    }
  }
  const clusters = new Map<string, string>();
  for (const first of neighbours.keys()) {
    if (clusters.has(first)) continue;
    // Iterating a set includes elements that are added meanwhile.
    const cluster = new Set([first]);
    for (const name of cluster) for (const neighbour of neighbours.get(name) ?? []) cluster.add(neighbour);
    for (const name of cluster) clusters.set(name, first);
  }
  return clusters;
}

function ownStopTime(definition: ProcessDefinition | undefined): number {
  return definition?.stop.reduce((sum, step) => sum + step.timeout_ms, AFTER_LAST_STEP_MS) ?? 0;
}

function inOrder(names: Iterable<string>, ranks: ReadonlyMap<string, number>): string[] {
  return [...names].sort((a, b) => (ranks.get(a) ?? 0) - (ranks.get(b) ?? 0));
}

/** Puts up to HOST_BUNDLE names of one key side by side: each bundle is where its first name was. */
function inBundles(names: readonly string[], keyOf: (name: string) => string): string[] {
  const bundles: string[][] = [];
  const open = new Map<string, string[]>();
  for (const name of names) {
    const key = keyOf(name);
    const bundle = open.get(key);
    if (bundle !== undefined && bundle.length < HOST_BUNDLE) bundle.push(name);
    else {
      const next = [name];
      open.set(key, next);
      bundles.push(next);
    }
  }
  return bundles.flat();
}
