import type { ViewMode } from "../../../transport/view.ts";
import type { LimitState, ReachedLimit } from "../wire.ts";

/** A process has reached a limit, or one that was reached is no longer reported. */
export interface LimitChange {
  readonly kind: "reached" | "ended";
  readonly name: string;
  readonly host: string;
  readonly limit: ReachedLimit;
  /** Which figure was over which limit for how long. */
  readonly text: string;
}

/** Limits that processes have reached. */
export interface Limits {
  /** Limits of the processes in view, by name. */
  list(view: ViewMode): LimitState[];
  /** Acknowledges the reached limits of a process. Rejects with `not_found` and `host_unavailable`. */
  clear(name: string, by: string): Promise<void>;
  /** Calls back with each change, such as for notifications, until the returned function is called. */
  subscribe(listener: (change: LimitChange) => void): () => void;
}
