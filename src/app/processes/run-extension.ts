import type { Starter } from "../../actors/control.ts";
import type { Cancellation } from "../../base/timing/cancellation.ts";
import type { ProcessDefinition } from "../../config/definition.ts";
import type { RunSpec } from "../../contract/run.ts";
import type { Process } from "../../protocol/resources/resources.ts";

/** The part of a feature in the runs of processes. */
export interface RunExtension {
  /** Called when a client has requested the start of a process that is not under way. */
  readonly startRequested?: (name: string, starter: Starter) => void;
  /**
   * Called before a run is sent to its host; null: the feature does not concern it. The run waits for the promise. Rejections fail the
   * run.
   */
  readonly prepare?: (definition: ProcessDefinition, cancellation: Cancellation) => Promise<RunAddition | null> | null;
  /** Called when the run is about to be sent. If it throws, the run cannot begin; the error is the reason. */
  readonly beforeRun?: (name: string) => void;
  /** Fields of the resource of a running process; `memo` is that of its run. */
  readonly processFields?: (memo: string) => Partial<Process>;
}

/** Additions of a feature to one run. */
export interface RunAddition {
  readonly spec: Partial<RunSpec>;
  /** Adds a note for the managers after this one. */
  readonly memo: (memo: string) => string;
  /** Called when the run has begun. */
  readonly begun: () => void;
}

/** The extensions of several features as one. They are added after construction. */
export class RunExtensions {
  readonly #parts: RunExtension[] = [];

  add(part: RunExtension): void {
    this.#parts.push(part);
  }

  startRequested(name: string, starter: Starter): void {
    for (const part of this.#parts) part.startRequested?.(name, starter);
  }

  async prepare(definition: ProcessDefinition, cancellation: Cancellation): Promise<RunAddition[]> {
    const additions: RunAddition[] = [];
    for (const { prepare } of this.#parts) {
      const addition = await prepare?.(definition, cancellation);
      if (addition) additions.push(addition);
    }
    return additions;
  }

  beforeRun(name: string): void {
    for (const part of this.#parts) part.beforeRun?.(name);
  }

  processFields(memo: string): Partial<Process> {
    return Object.assign({}, ...this.#parts.map((part) => part.processFields?.(memo)));
  }
}
