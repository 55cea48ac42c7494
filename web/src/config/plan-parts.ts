import type { ManagerFrame } from "../../../src/protocol/frames/frames.ts";

export type Plan = Extract<ManagerFrame, { type: "config_reload_result"; ok: true }>;

type Planned = Pick<
  Plan,
  "added" | "removed" | "changed" | "restart_needed" | "starts" | "stops" | "differences" | "hosts" | "settings" | "manager_restart_needed"
>;
type Named = { readonly name: string };

interface ChangedProcess extends Named {
  readonly differences: Plan["differences"];
  /** It runs, and keeps its old configuration until it is restarted. */
  readonly needsRestart: boolean;
}

/** The effects of a reload, each process once: starts, stops, changes, then those without an effect yet. */
export function planParts(plan: Planned) {
  const named = (names: readonly string[]): Named[] => names.map((name) => ({ name }));
  const without = (names: readonly string[], others: readonly string[]) => {
    const left = new Set(others);
    return named(names.filter((name) => !left.has(name)));
  };
  const byName = new Map<string, Plan["differences"]>();
  for (const difference of plan.differences) byName.set(difference.name, [...(byName.get(difference.name) ?? []), difference]);
  const needed = new Set(plan.restart_needed);
  const changed = plan.changed.map(
    (name): ChangedProcess => ({ name, differences: byName.get(name) ?? [], needsRestart: needed.has(name) }),
  );
  return {
    starts: named(plan.starts),
    stops: named(plan.stops),
    changed,
    added: without(plan.added, plan.starts),
    removed: without(plan.removed, plan.stops),
    outdated: without(plan.restart_needed, plan.changed),
    hosts: plan.hosts.map(({ name, change, keys }) => ({ name: `${name}: ${change === "changed" ? keys.join(", ") : change}` })),
    settings: named(plan.settings),
    later: named(plan.manager_restart_needed),
    isEmpty: [plan.added, plan.removed, plan.changed, plan.starts, plan.hosts, plan.settings].every(({ length }) => length === 0),
  };
}
