import type { Config } from "../../../config/definition.ts";
import type { Process, Snapshot } from "../../../protocol/resources/resources.ts";
import { loadConfig } from "../../manager/configuration.ts";
import { withManager } from "../../manager/connection.ts";
import type { ConnectionFlags } from "../../manager/connection-target.ts";
import { selectProcesses } from "../../manager/select.ts";
import { configuredNamesIn, namesIn } from "../../manager/selectors.ts";
import { printJson } from "../../output/table.ts";
import { dotGraph, type GraphProcess, mermaidGraph, textGraph } from "./graph-text.ts";

interface GraphFlags extends ConnectionFlags {
  dot?: boolean;
  mermaid?: boolean;
  json?: boolean;
}

/**
 * `mgr graph [NAME…]`: shows the dependencies, with commands. With a running manager also the states, and what each process waits for;
 * without one, it draws the configuration file alone.
 */
export async function graph(names: string[], flags: GraphFlags): Promise<void> {
  const remote = flags.url ?? process.env.MGR_URL;
  const config = remote === undefined ? await loadConfig(flags.config, { ...flags, json: false }) : null;
  const live = await liveSnapshot(flags, config === null);
  const all = live === null ? fromConfig(config) : fromManager(live.processes, config);
  const chosen = live !== null ? namesIn(live, names) : config === null ? names : configuredNamesIn(config, names);
  const processes = names.length === 0 ? all : withDependencies(all, selectProcesses(all, chosen));
  if (flags.json) printJson(processes);
  else console.log((flags.dot ? dotGraph : flags.mermaid ? mermaidGraph : textGraph)(processes));
}

/** Returns null if no manager runs, unless its address was given. */
async function liveSnapshot(flags: GraphFlags, isRequired: boolean): Promise<Snapshot | null> {
  try {
    return await withManager(flags, (client) => client.snapshot());
  } catch (error) {
    if (isRequired) throw error;
    return null; // The file has the dependencies, too.
  }
}

function fromConfig(config: Config | null): GraphProcess[] {
  return [...(config?.processes.values() ?? [])].map(({ name, command, depends_on }) => ({
    name,
    command: command.text,
    state: null,
    waiting_for: [],
    depends_on: depends_on.map((one) => ({ name: one.name, condition: one.condition })),
  }));
}

/** Processes of a running manager, with the conditions of its file if that is available. */
function fromManager(processes: readonly Process[], config: Config | null): GraphProcess[] {
  return processes.map(({ name, current_command, state, waiting_for, depends_on }) => {
    const configured = config?.processes.get(name)?.depends_on ?? [];
    const conditionOf = (dependency: string) => configured.find((one) => one.name === dependency)?.condition ?? null;
    return {
      name,
      command: current_command,
      state,
      waiting_for,
      depends_on: depends_on.map((dependency) => ({ name: dependency, condition: conditionOf(dependency) })),
    };
  });
}

function withDependencies(all: readonly GraphProcess[], selected: readonly GraphProcess[]): GraphProcess[] {
  const found = new Set(selected.map(({ name }) => name));
  const byName = new Map(all.map((process) => [process.name, process]));
  // A set includes elements that are added during its iteration.
  for (const name of found) for (const one of byName.get(name)?.depends_on ?? []) found.add(one.name);
  return all.filter(({ name }) => found.has(name));
}
