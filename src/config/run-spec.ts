import type { RunSpec } from "../contract/run.ts";
import type { Supervision } from "../contract/supervision.ts";
import type { Command } from "./command-line.ts";
import type { Config, ProcessDefinition } from "./definition.ts";

export interface RunChoices {
  /** The command in effect: the definition's, an alternate one or an override. */
  command: Command;
  /** Inherited variables; null: those of the host's own environment. */
  inherited: Record<string, string> | null;
  /** `svc_debug`: asks the program for more output about itself. */
  debug?: boolean;
  stop_rank: number;
  /** Whether another process runs on the same host, so that this host knows its state. */
  isOnSameHost?: (name: string) => boolean;
  /** Terminal size that a user chose; the definition's if omitted. */
  size?: { rows: number; cols: number } | undefined;
}

/** Builds the spec of a run for its host. */
export function buildRunSpec(definition: ProcessDefinition, choices: RunChoices): RunSpec {
  return {
    name: definition.name,
    command: choices.command.text,
    program: choices.command.program,
    cwd: definition.cwd,
    base_dir: definition.base_dir,
    environment: choices.debug ? { ...definition.environment, MGR_DEBUG: "1" } : definition.environment,
    pass_environment: [...definition.pass_environment],
    inherited: choices.inherited,
    terminal: { ...definition.terminal, ...choices.size },
    ready: definition.ready,
    stop: [...definition.stop],
    stop_rank: choices.stop_rank,
    env_files: [...definition.env_files],
    user: definition.user,
    umask: definition.umask,
    limits: definition.limits,
    scheduling: definition.scheduling,
    alive: definition.alive,
    watch: [...definition.watch],
    log_file: definition.log_file,
    ...(definition.output_on_disk ? { output_on_disk: true as const } : {}),
    supervision: supervisionOf(definition, choices.isOnSameHost ?? (() => false)),
  };
}

/** The rules by which the host supervises the process without a manager. */
function supervisionOf(definition: ProcessDefinition, isOnSameHost: (name: string) => boolean): Supervision {
  const { policy, delay, factor, max_delay, max_restarts, window, reset_after } = definition.restart;
  const dependencies = definition.depends_on.filter(({ name }) => isOnSameHost(name));
  const elsewhere = definition.depends_on.filter(({ name }) => !isOnSameHost(name)).map(({ name }) => name);
  return {
    restart: { policy, delay, factor, max_delay, max_restarts, window, reset_after },
    success_exit_codes: [...definition.success_exit_codes],
    ready_timeout_ms: definition.ready_timeout,
    depends_on: dependencies.map(({ name, condition }) => ({ name, condition })),
    ...(elsewhere.length === 0 ? {} : { other_hosts: elsewhere }),
  };
}

/** A rank for each process, higher than those of the processes it depends on: the highest rank stops first. */
export function stopRanks(config: Pick<Config, "processes">): ReadonlyMap<string, number> {
  const ranks = new Map<string, number>();
  for (const start of config.processes.keys()) {
    // Depth first without recursion: a name is ranked once all its dependencies are. Loading has refused cycles.
    const trail = [start];
    for (let name = trail.at(-1); name !== undefined; name = trail.at(-1)) {
      const dependencies = config.processes.get(name)?.depends_on ?? [];
      const unranked = dependencies.find((dependency) => !ranks.has(dependency.name));
      if (unranked !== undefined) trail.push(unranked.name);
      else {
        ranks.set(name, Math.max(-1, ...dependencies.map((dependency) => ranks.get(dependency.name) ?? 0)) + 1);
        trail.pop();
      }
    }
  }
  return ranks;
}
