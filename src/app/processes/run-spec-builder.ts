import type { ProcessDetail } from "../../actors/control.ts";
import type { SpawnInput } from "../../actors/process-types.ts";
import { MgrError } from "../../base/errors.ts";
import { describeDefinition, withoutSecrets } from "../../config/describe-definition.ts";
import { effectiveCommand } from "../../config/effective-command.ts";
import { buildRunSpec } from "../../config/run-spec.ts";
import { type RunSpec, specHash } from "../../contract/run.ts";
import { choicesOf, type IntentKeeper } from "../state/intent-keeper.ts";
import { inheritedVariables } from "./inherited-variables.ts";
import type { ProcessRegistry } from "./process-registry.ts";
import type { RunHistory } from "./run-history.ts";

interface NextRunsOptions {
  registry: ProcessRegistry;
  intents: IntentKeeper;
  history: RunHistory;
  /** How a process comes to the bus, with a token of its own; null: not at all. */
  busUrl?: ((process: string) => string | null) | undefined;
}

/** What the next start of each process would be given: its definition, with what users chose and the manager's environment. */
export class RunSpecBuilder {
  readonly #options: NextRunsOptions;

  constructor(options: NextRunsOptions) {
    this.#options = options;
  }

  /** What a host is told for these choices. */
  spec({ definition, size, settings }: Pick<SpawnInput, "definition" | "size" | "settings">): RunSpec {
    const { registry } = this.#options;
    return buildRunSpec(definition, {
      command: effectiveCommand(definition, settings, registry.config.instance.start_tools),
      debug: settings.svc_debug,
      // Another host has an environment of its own.
      inherited: definition.host === null ? inheritedVariables(process.env, definition.pass_environment) : null,
      stop_rank: registry.graph.stopRank(definition.name),
      size: size ?? undefined,
      // The manager's own broker serves programs on loopback; other hosts reach servers of instance.bus only.
      busUrl:
        definition.host === null || registry.config.instance.bus.length > 0 ? (this.#options.busUrl?.(definition.name) ?? null) : null,
    });
  }

  hash(name: string): string {
    return specHash(this.#of(name));
  }

  /** Where and as what it would be started. */
  of(name: string): { host: string; spec: RunSpec } {
    return { host: this.#definition(name).host ?? this.#options.registry.hostName, spec: this.#of(name) };
  }

  detail(name: string): ProcessDetail {
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
    const definition = this.#options.registry.config.processes.get(name);
    if (!definition) throw new MgrError("not_found", `there is no process '${name}'`);
    return definition;
  }
}
