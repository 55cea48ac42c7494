import type { RestartStep, StepState } from "../wire.ts";
import type { RestartedProcess } from "./restarted-process.ts";

interface Facts {
  readonly id: string;
  readonly by: string;
  readonly names: readonly string[];
  /** Maximum time for each process, milliseconds. */
  readonly timeoutMs: number;
}

/** One rolling restart: its processes in their order, and how far it is. */
export class RollingRestart {
  readonly id: string;
  readonly by: string;
  readonly names: readonly string[];
  readonly timeoutMs: number;
  /** The process that is being restarted; null: between two of them, or it has ended. */
  present: RestartedProcess | null = null;
  readonly #steps: Map<string, Pick<RestartStep, "position" | "state" | "reason">>;

  constructor({ id, by, names, timeoutMs }: Facts) {
    this.id = id;
    this.by = by;
    this.names = names;
    this.timeoutMs = timeoutMs;
    this.#steps = new Map(names.map((name, at) => [name, { position: at + 1, state: "pending", reason: null }]));
  }

  get hasEnded(): boolean {
    return [...this.#steps.values()].every(({ state }) => state !== "pending" && state !== "restarting");
  }

  /** The names whose step is in this state, in their order. */
  namesIn(state: StepState): string[] {
    return this.names.filter((name) => this.#steps.get(name)?.state === state);
  }

  set(name: string, state: StepState, reason: string | null = null): void {
    this.#steps.set(name, { position: this.step(name).position, state, reason });
  }

  step(name: string): RestartStep {
    const known = this.#steps.get(name);
    if (known === undefined) throw new Error(`'${name}' is not part of the rolling restart ${this.id}`);
    return { name, id: this.id, by: this.by, total: this.names.length, ...known };
  }
}
