import type { ViewMode } from "../../../transport/view.ts";
import type { ReplicaSet } from "../wire.ts";

/** The processes with replicas. */
export interface Replicas {
  /** Entries whose first replica is in view, in the order of the configuration. */
  list(view: ViewMode): ReplicaSet[];
  /**
   * Sets the number of replicas of a process. Resolves when it has taken effect and is saved; rejects with `not_found`, or with `conflict` if the
   * process has no replicas, or its configuration has problems with that number.
   */
  scale(name: string, count: number, by: string): Promise<void>;
}
