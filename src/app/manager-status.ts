import type { DomainEvents } from "../actors/domain-events.ts";
import { shuttingDown } from "../base/errors.ts";
import type { ManagerInfo } from "../protocol/resources/resources.ts";

/** The manager as clients see it, and whether it is shutting down. */
export class ManagerStatus {
  readonly #events: DomainEvents;
  #info: ManagerInfo;
  #isShuttingDown = false;

  constructor(events: DomainEvents, { name, host }: Pick<ManagerInfo, "name" | "host">) {
    this.#events = events;
    this.#info = { name, host, save_problem: null };
  }

  get info(): ManagerInfo {
    return this.#info;
  }

  /** Sets the reason why the requested state cannot be saved; null: it can be saved again. */
  setSaveProblem(save_problem: string | null): void {
    this.#info = { ...this.#info, save_problem };
    this.#events.publish({ type: "manager_upsert", manager: this.#info });
  }

  /** Whether the manager is shutting down: nothing is started or changed any more, and the requested state stays as it is. */
  get isShuttingDown(): boolean {
    return this.#isShuttingDown;
  }

  beginShutdown(): void {
    this.#isShuttingDown = true;
  }

  /** Throws `shutting_down` once the shutdown has begun. */
  requireOpen(): void {
    if (this.#isShuttingDown) throw shuttingDown();
  }
}
