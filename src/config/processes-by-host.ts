import type { Config, ProcessDefinition } from "./definition.ts";

type Processes = Config["processes"];
type Index = ReadonlyMap<string | null, readonly ProcessDefinition[]>;

/** Indexes by the processes of a configuration, which never change: each of 1,000 hosts that connect would search 100,000 processes. */
const INDEXES = new WeakMap<Processes, Index>();

/** The processes that are configured for a host. `isLocal`: it is the manager's own, which a definition need not name. */
export function processesAt({ processes }: Pick<Config, "processes">, host: string, isLocal: boolean): readonly ProcessDefinition[] {
  const index = INDEXES.get(processes) ?? indexOf(processes);
  const named = index.get(host) ?? [];
  return isLocal ? [...(index.get(null) ?? []), ...named] : named;
}

function indexOf(processes: Processes): Index {
  const index = new Map<string | null, ProcessDefinition[]>();
  for (const definition of processes.values()) {
    const known = index.get(definition.host);
    if (known) known.push(definition);
    else index.set(definition.host, [definition]);
  }
  INDEXES.set(processes, index);
  return index;
}
