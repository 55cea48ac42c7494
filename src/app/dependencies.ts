import type { Config, Dependency, ProcessDefinition } from "../config/definition.ts";
import type { ProcessState } from "../protocol/resources.ts";

/** What the rules below have to know of a process. */
export interface DependencyFacts {
  state: ProcessState;
  /** Nothing is known about it yet: its host has not reported. */
  unknown: boolean;
  requested: "start" | "stop";
  hasReadyState: boolean;
  /** How its newest run ended; null while it runs or if it never ran. */
  lastRunSucceeded: boolean | null;
}

export interface Unmet {
  /** Names of dependencies that are not there yet. */
  missing: string[];
  /** Why this can never become true by itself, naming the dependency. */
  impossible: string | null;
}

/** Which dependencies of `definition` do not hold (runtime.md, "State table, the hard rows"). */
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
  const running = fact.state === "started" || fact.state === "ready";
  if (condition === "completed") return fact.state === "stopped" && !fact.unknown && fact.lastRunSucceeded === true;
  if (condition === "ready" && fact.hasReadyState) return fact.state === "ready";
  return running;
}

function hopeless({ name, condition }: Dependency, fact: DependencyFacts | undefined): string | null {
  if (!fact) return `dependency '${name}' does not exist any more`;
  if (fact.unknown) return null;
  if (fact.state === "error") return `dependency '${name}' failed`;
  if (fact.state !== "stopped") return null;
  if (fact.requested === "stop") return `dependency '${name}' was stopped`;
  if (fact.lastRunSucceeded === true && condition !== "completed") return `dependency '${name}' has ended, it has to be running`;
  return null;
}

/** Who depends on whom, both ways, in configuration order. */
export class DependencyGraph {
  readonly #config: () => Config;

  constructor(config: () => Config) {
    this.#config = config;
  }

  /** `name`'s dependencies, transitively, the deepest first, without itself. */
  dependencies(name: string): string[] {
    return this.#walk(
      name,
      (each) =>
        this.#config()
          .processes.get(each)
          ?.depends_on.map((one) => one.name) ?? [],
    );
  }

  /** Those that depend on `name` and go down with it, transitively, the outermost first, without itself. */
  dependents(name: string): string[] {
    return this.#walk(name, (each) => this.directDependents(each));
  }

  /** Those that name `name` in depends_on and do not keep running without it. */
  directDependents(name: string): string[] {
    const found: string[] = [];
    for (const definition of this.#config().processes.values()) {
      if (definition.depends_on.some((one) => one.name === name && one.on_stop !== "keep")) found.push(definition.name);
    }
    return found;
  }

  /** Depth first, each name after everything that it leads to. */
  #walk(start: string, next: (name: string) => string[]): string[] {
    const order = new Set<string>();
    const visit = (name: string) => {
      for (const each of next(name)) {
        if (each === start || order.has(each)) continue;
        visit(each);
        order.add(each);
      }
    };
    visit(start);
    return [...order];
  }
}
