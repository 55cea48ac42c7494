import type { Verb } from "../../actors/control.ts";
import { listNames } from "../../base/text/names.ts";
import type { Dependency } from "../../config/definition.ts";
import { UP_STATES } from "../../protocol/process/process-state.ts";
import type { ProcessTable } from "./process-table.ts";

interface Order {
  readonly name: string;
  readonly verb: Verb;
  /** Only for a stop: the process starts again once all of these are requested to start. Empty: only on request. */
  readonly resumeWith: readonly string[];
  /** Only for a stop that was not requested itself: the stopped dependency that causes it. */
  readonly stoppedWith?: string | undefined;
}

/** Input for planning orders. */
interface Situation {
  readonly processTable: ProcessTable;
  /** Names of the processes that a stopped process waits for before it starts again. */
  readonly resumeWith: (name: string) => readonly string[];
}

/**
 * Maximum number of processes that get a command in one turn of the event loop, about 5 ms: 10,000 in one turn would block all clients for seconds.
 */
export const MAX_MEMBERS_PER_TURN = 32;

/** Returns the orders needed to start, stop or restart `names`, in this order; each batch has to be sent in one turn. */
export function planCommand(situation: Situation, verb: Verb, names: readonly string[]): Order[][] {
  const orders = ORDERS[verb](situation, names);
  // Processes that stop and restart together get the command in one turn: otherwise one might come back before its dependency has stopped.
  return verb === "restart" ? situation.processTable.graph.together(orders, ({ name }) => name) : orders.map((order) => [order]);
}

/** Returns sentences for the log that explain why a command affects processes that it does not name. */
export function explanations(situation: Situation, names: readonly string[], batches: readonly (readonly Order[])[]): string[] {
  const named = new Set(names);
  const others = batches.flat().filter((order) => !named.has(order.name) && isNews(situation.processTable, order));
  return DEEDS.flatMap(([deed, isReported]) => {
    const reported = others.filter((order) => isReported(order, situation)).map(({ name }) => name);
    return reported.length === 0 ? [] : [`the request for ${listNames(names)} also ${deed}: ${listNames(reported)}`];
  });
}

const DEEDS: readonly (readonly [string, (order: Order, situation: Situation) => boolean])[] = [
  ["restarts what needs it", ({ verb }) => verb === "restart"],
  ["stops what needs it", ({ verb, resumeWith }) => verb === "stop" && resumeWith.length === 0],
  ["stops what needs it, until it is started again", ({ verb, resumeWith }) => verb === "stop" && resumeWith.length > 0],
  ["starts what it needs", ({ verb, name }, { resumeWith }) => verb === "start" && resumeWith(name).length === 0],
  ["starts what was stopped with it", ({ verb, name }, { resumeWith }) => verb === "start" && resumeWith(name).length > 0],
];

/** Whether to log the reason for an order: it was logged already for processes that are under way or stopped. */
function isNews(processTable: ProcessTable, { name, verb }: Order): boolean {
  if (verb === "stop") return isRequested(processTable, name);
  const state = processTable.stateOf(name);
  return verb === "restart" || state === "stopped" || state === "error";
}

const ORDERS: { readonly [K in Verb]: (situation: Situation, names: readonly string[]) => Order[] } = {
  /** Dependencies first: each process then finds its dependencies already under way. */
  start: (situation, names) => {
    const { graph } = situation.processTable;
    const all = withResumed(situation, names);
    return [...toAll("start", missing(situation.processTable, all)), ...toAll("start", graph.inStartOrder(all))];
  },
  /** Dependents first; the effect that stops a run also waits for those that are stopping (process-effects.ts). */
  stop: ({ processTable, resumeWith }, names) => {
    const returns = returnsAfterStop(processTable, names);
    const given = new Set(names);
    const orders = processTable.graph.dependents(names).flatMap((name): Order[] => {
      const before = resumeWith(name);
      if (before.length === 0 && !isRequested(processTable, name)) return [];
      const after = returns.get(name) ?? [];
      const comesBack = after.length > 0 && (before.length > 0 || isActive(processTable, name));
      const stoppedWith = given.has(name) ? undefined : stopCauses(processTable, name, returns)[0]?.name;
      return [{ name, verb: "stop", resumeWith: comesBack ? [...new Set([...before, ...after])] : [], stoppedWith }];
    });
    return [...orders, ...toAll("stop", processTable.graph.inStartOrder(names).reverse())];
  },
  /**
   * Running dependents restart too; they wait for their dependencies. In start order: a job that is to run again must have begun before the
   * processes that wait for its end get the command.
   */
  restart: (situation, names) => {
    const { processTable } = situation;
    const dependents = processTable.graph.dependents(names).filter((dependent) => isRunning(processTable, dependent));
    const given = new Set(names);
    const resumed = withResumed(situation, names).filter((name) => !given.has(name));
    const needed = missing(processTable, [...names, ...dependents, ...resumed]);
    return [
      ...toAll("restart", dependents),
      ...toAll("start", needed),
      ...toAll("restart", processTable.graph.inStartOrder(names)),
      ...toAll("start", processTable.graph.inStartOrder(resumed)),
    ];
  },
};

function toAll(verb: Verb, names: readonly string[]): Order[] {
  return names.map((name) => ({ name, verb, resumeWith: [] }));
}

/** Dependencies of `name` that stop, and whose stop also stops it. */
function stopCauses(processTable: ProcessTable, name: string, stopped: ReadonlyMap<string, unknown>): Dependency[] {
  return (processTable.config.processes.get(name)?.depends_on ?? []).filter((each) => each.on_stop !== "keep" && stopped.has(each.name));
}

/**
 * Maps each process that stops with `names` to the processes whose start starts it again, or to nothing if it stays stopped. A process that stays
 * stopped keeps its dependents stopped until it is started itself.
 */
function returnsAfterStop(processTable: ProcessTable, names: readonly string[]): ReadonlyMap<string, readonly string[]> {
  const returns = new Map<string, readonly string[]>(names.map((name) => [name, []]));
  for (const name of processTable.graph.dependents(names).reverse()) {
    const causes = stopCauses(processTable, name, returns);
    const after = causes.flatMap(({ name: cause }) => {
      const own = returns.get(cause) ?? [];
      return own.length > 0 ? own : [cause];
    });
    returns.set(name, causes.some(({ on_stop }) => on_stop === "stop") ? [] : [...new Set(after)]);
  }
  return returns;
}

/** `names`, and the processes that were stopped along with them or with their dependencies and can now start again. */
function withResumed({ processTable, resumeWith }: Situation, names: readonly string[]): string[] {
  const all = new Set(names);
  const isStarted = (started: ReadonlySet<string>) => (name: string) =>
    started.has(name) || !processTable.config.processes.has(name) || processTable.process(name)?.requested_state === "start";
  for (let known = -1; known < all.size; ) {
    known = all.size;
    const started = new Set([...all, ...missing(processTable, [...all])]);
    for (const name of processTable.graph.dependents(started).reverse()) {
      const after = resumeWith(name);
      if (after.length === 0 || !after.every(isStarted(started))) continue;
      all.add(name);
      started.add(name);
    }
  }
  return [...all];
}

/** The dependencies that `names` lack, transitively, the deepest first, without `names`. */
function missing(processTable: ProcessTable, names: readonly string[]): string[] {
  const given = new Set(names);
  const found = new Set(given);
  // Iterating a set includes elements that are added meanwhile.
  for (const name of found) for (const dependency of processTable.unmet(name).missing) found.add(dependency);
  return processTable.graph.inStartOrder([...found].filter((name) => !given.has(name)));
}

/** Whether the process runs, or is about to, and its stop has not been requested. */
function isRunning(processTable: ProcessTable, name: string): boolean {
  const process = processTable.process(name);
  return process?.requested_state === "start" && UP_STATES.has(process.state);
}

function isRequested(processTable: ProcessTable, name: string): boolean {
  const process = processTable.process(name);
  return process !== undefined && (process.requested_state === "start" || processTable.livingRun(name) !== null);
}

/** Whether the process runs, is about to, or is believed to run, and its stop has not been requested. */
function isActive(processTable: ProcessTable, name: string): boolean {
  const process = processTable.process(name);
  if (process?.requested_state !== "start") return false;
  return processTable.isUnknown(name) || (process.state !== "stopped" && process.state !== "error");
}
