import type { Config, ProcessDefinition } from "../../config/definition.ts";
import { DependencyGraph } from "./dependencies.ts";

/** The configuration that the manager runs with, and the dependencies in it. A reload replaces it. */
export class CurrentConfig {
  config: Config;
  readonly graph = new DependencyGraph(() => this.config);
  /**
   * Processes that were removed from the configuration, but are alive: they stay in `config` until nothing of them is left
   * (docs/design/runtime-invariants.md, "Reload").
   */
  readonly retiring = new Map<string, { readonly definition: ProcessDefinition; readonly requested: boolean }>();

  constructor(config: Config) {
    this.config = config;
  }
}
