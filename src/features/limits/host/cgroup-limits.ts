import { SerialQueue } from "../../../base/timing/serial-queue.ts";
import type { CgroupLimits } from "../contract.ts";
import { MAX_PROBLEM } from "../contract.ts";
import { writeCgroupLimits } from "./cgroup-files.ts";

/** Sets the limits of the cgroups of runs: one after the other, since they share the cgroups above them. */
export class RunCgroupLimits {
  readonly #folderOf: (runId: string) => Promise<string | null>;
  readonly #steps = new SerialQueue();
  /** The limits that were written, by run. */
  readonly #written = new Map<string, CgroupLimits>();

  constructor(folderOf: (runId: string) => Promise<string | null>) {
    this.#folderOf = folderOf;
  }

  /** Resolves with the reason why limits could not be set; null: they are. Never rejects. */
  set(runId: string, limits: CgroupLimits | null): Promise<string | null> {
    return this.#steps.run(async () => {
      const before = this.#written.get(runId) ?? null;
      const folder = await this.#folderOf(runId);
      if (folder === null)
        return limits === null ? null : "the limits of its cgroup cannot be set: this host has no writable cgroup v2 with cgroup.kill";
      if (limits === null) this.#written.delete(runId);
      else this.#written.set(runId, limits);
      const problem = await writeCgroupLimits(folder, limits, before);
      return problem?.slice(0, MAX_PROBLEM) ?? null;
    });
  }

  /** Forgets an extinct run. */
  forget(runId: string): void {
    this.#written.delete(runId);
  }
}
