import type { ProcessDetail } from "../../actors/control.ts";
import type { ProcessContext, SpawnInput } from "../../actors/process/process-types.ts";
import { MgrError } from "../../base/errors.ts";
import type { ProcessDefinition } from "../../config/definition.ts";
import { describeDefinition, withoutSecrets } from "../../config/describe-definition.ts";
import { effectiveCommand } from "../../config/effective-command.ts";
import { isSameForRuns } from "../../config/plan.ts";
import { buildRunSpec } from "../../config/run-spec.ts";
import type { ProcessSettings } from "../../config/state/process-settings.ts";
import { type RunSpec, specHash } from "../../contract/run.ts";
import { isStartedByHost } from "../../contract/run-ids.ts";
import { UP_STATES } from "../../protocol/process/process-state.ts";
import { choicesOf, type IntentKeeper } from "../state/intent-keeper.ts";
import type { RunHistory } from "../state/run-history.ts";
import type { CurrentConfig } from "./current-config.ts";

interface RunSpecBuilderOptions {
  current: CurrentConfig;
  /** Canonical name of the manager's own host. */
  hostName: string;
  intents: IntentKeeper;
  /** Epoch of this boot: run IDs begin with it. */
  epoch: number;
  history: RunHistory;
}

/** Builds the specs of the next runs from the definition, the users' choices and the manager's environment. */
export class RunSpecBuilder {
  readonly #options: RunSpecBuilderOptions;
  /** Hashes of specs by name, with the values that they were made from. */
  readonly #hashes = new Map<string, { definition: ProcessDefinition; settings: ProcessSettings; hash: string }>();

  constructor(options: RunSpecBuilderOptions) {
    this.#options = options;
  }

  /** The spec that the host gets for these choices. */
  spec({ definition, size, settings }: Pick<SpawnInput, "definition" | "size" | "settings">): RunSpec {
    const { config, graph } = this.#options.current;
    return buildRunSpec(definition, {
      command: effectiveCommand(definition, settings, config.instance.start_tools),
      debug: settings.svc_debug,
      // Another host has an environment of its own.
      inherited: definition.host === null ? inheritedVariables(process.env, definition.pass_environment) : null,
      stop_rank: graph.stopRank(definition.name),
      isOnSameHost: (name) => config.processes.get(name)?.host === definition.host,
      size: size ?? undefined,
    });
  }

  /** Whether the process is alive, and a start with `definition`, by default the current one, would use another spec. */
  needsRestart(name: string, context: ProcessContext, definition = context.definition): boolean {
    const { shown, run, runDefinition, settings, runSettings, host } = context;
    if (this.#options.current.retiring.has(name) || !UP_STATES.has(shown)) return false;
    // Only the hash is known of a run that an earlier manager started.
    if (!this.isAdopted(context)) {
      if (!isSameForRuns(runDefinition, definition)) return true;
      if (settings === runSettings) return false;
    }
    return run !== null && (host !== definition.host || run.spec_hash !== this.#hash(name, definition, settings));
  }

  /** Whether the newest run was started by an earlier manager, or by its host. */
  isAdopted({ run }: Pick<ProcessContext, "run">): boolean {
    return run !== null && (!run.run_id.startsWith(`${this.#options.epoch}-`) || isStartedByHost(run.run_id));
  }

  forget(name: string): void {
    this.#hashes.delete(name);
  }

  forgetAll(): void {
    this.#hashes.clear();
  }

  #hash(name: string, definition: ProcessDefinition, settings: ProcessSettings): string {
    const known = this.#hashes.get(name);
    if (known?.definition === definition && known.settings === settings) return known.hash;
    const hash = specHash(this.spec({ definition, ...choicesOf(this.#options.intents.get(name)) }));
    this.#hashes.set(name, { definition, settings, hash });
    return hash;
  }

  /** The host and the spec with which the process would be started. */
  of(name: string): { host: string; spec: RunSpec } {
    return { host: this.#definition(name).host ?? this.#options.hostName, spec: this.#of(name) };
  }

  detail(name: string): Omit<ProcessDetail, "changes" | "needed_by"> {
    return {
      environment: withoutSecrets(this.#of(name).environment),
      history: [...this.#options.history.of(name)],
      definition: describeDefinition(this.#definition(name)),
    };
  }

  #of(name: string): RunSpec {
    return this.spec({ definition: this.#definition(name), ...choicesOf(this.#options.intents.get(name)) });
  }

  #definition(name: string) {
    const definition = this.#options.current.config.processes.get(name);
    if (!definition) throw new MgrError("not_found", `there is no process '${name}'`);
    return definition;
  }
}

/** Variables that children always inherit. A trailing `*` is open-ended. */
const ALWAYS = ["PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LC_*", "TZ"];

/** The variables of `environment` that a process may inherit: the standard ones and those of its pass_environment. */
export function inheritedVariables(environment: NodeJS.ProcessEnv, passed: readonly string[]): Record<string, string> {
  const inherited = new Map<string, string>();
  // Listed once and read by name: each access to `process.env` calls the C library.
  const names = Object.keys(environment);
  for (const pattern of [...ALWAYS, ...passed]) {
    const prefix = pattern.endsWith("*") ? pattern.slice(0, -1) : null;
    for (const name of prefix === null ? [pattern] : names.filter((each) => each.startsWith(prefix))) {
      const value = Object.hasOwn(environment, name) ? environment[name] : undefined;
      if (value !== undefined) inherited.set(name, value);
    }
  }
  // Not built by assignment: a variable may be called __proto__.
  return Object.fromEntries(inherited);
}
