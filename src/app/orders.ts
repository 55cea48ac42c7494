import { listNames } from "../base/names.ts";
import type { ProcessState } from "../protocol/resources.ts";
import type { World } from "./world.ts";

export type Verb = "start" | "stop" | "restart";

interface Order {
  readonly name: string;
  readonly verb: Verb;
}

const RUNNING: ReadonlySet<ProcessState> = new Set<ProcessState>(["starting", "started", "ready", "stopping"]);

/** Who has to be told what when `names` are to start, stop or restart, in this order; each batch has to be told in one turn. */
export function ordersFor(world: World, verb: Verb, names: readonly string[]): Order[][] {
  const orders = ORDERS[verb](world, names);
  // Who goes down and comes back together is told in one turn: else it might come back before that which it needs has gone.
  return verb === "restart" ? world.graph.together(orders, ({ name }) => name) : orders.map((order) => [order]);
}

/** Why something is about to happen to processes that nobody has named: sentences for the log. */
export function explanations(world: World, names: readonly string[], batches: readonly (readonly Order[])[]): string[] {
  const named = new Set(names);
  const others = batches.flat().filter(({ name, verb }) => !named.has(name) && (verb !== "start" || isAtRest(world, name)));
  return DEEDS.flatMap(([deed, verb]) => {
    const told = others.filter((order) => order.verb === verb).map(({ name }) => name);
    return told.length === 0 ? [] : [`the request for ${listNames(names)} also ${deed}: ${listNames(told)}`];
  });
}

const DEEDS = [
  ["restarts what needs it", "restart"],
  ["stops what needs it", "stop"],
  ["starts what it needs", "start"],
] as const;

/** Of those that are on their way it has been said why. */
function isAtRest(world: World, name: string): boolean {
  const state = world.stateOf(name);
  return state === "stopped" || state === "error";
}

const ORDERS: { readonly [K in Verb]: (world: World, names: readonly string[]) => Order[] } = {
  /** Dependencies first: each then finds the ones before it already on their way. */
  start: (world, names) => [...toAll("start", missing(world, names)), ...toAll("start", world.graph.inStartOrder(names))],
  /** Dependents first; besides, the effect that stops a run waits for those that are stopping (app/effects). */
  stop: (world, names) => {
    const dependents = world.graph.dependents(names).filter((dependent) => isWanted(world, dependent));
    return [...toAll("stop", dependents), ...toAll("stop", world.graph.inStartOrder(names).reverse())];
  },
  /**
   * Of the dependents, those that run come back as well; they wait for what they need. In start order: a job that is to run again must have
   * begun before those that wait for its end are asked.
   */
  restart: (world, names) => {
    const dependents = world.graph.dependents(names).filter((dependent) => isRunning(world, dependent));
    const needed = missing(world, [...names, ...dependents]);
    return [...toAll("restart", dependents), ...toAll("start", needed), ...toAll("restart", world.graph.inStartOrder(names))];
  },
};

function toAll(verb: Verb, names: readonly string[]): Order[] {
  return names.map((name) => ({ name, verb }));
}

/** What `names` need and do not have, transitively, the deepest first, without `names`. */
function missing(world: World, names: readonly string[]): string[] {
  const given = new Set(names);
  const found = new Set(given);
  // A set shows what is added while it is walked.
  for (const name of found) for (const dependency of world.unmet(name).missing) found.add(dependency);
  return world.graph.inStartOrder([...found].filter((name) => !given.has(name)));
}

/** It runs, or is about to, and nobody has asked for its stop. */
function isRunning(world: World, name: string): boolean {
  const process = world.process(name);
  return process?.requested_state === "start" && RUNNING.has(process.state);
}

function isWanted(world: World, name: string): boolean {
  const process = world.process(name);
  return process !== undefined && (process.requested_state === "start" || world.livingRun(name) !== null);
}
