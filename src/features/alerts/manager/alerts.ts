import type { ViewMode } from "../../../transport/view.ts";
import type { Alert } from "../wire.ts";

/** A process needs attention for a reason that it did not have before, or no longer has. */
export interface AlertChange {
  readonly kind: "raised" | "cleared";
  readonly reason: "silent" | "output";
  readonly name: string;
  /** The alert: after it was raised, or before the reason was cleared. */
  readonly alert: Alert;
}

/** Processes that need attention although they run. */
export interface Alerts {
  /** The alerts of the processes in view, by name. */
  list(view: ViewMode): Alert[];
  /** Acknowledges the alert of a process. Rejects with `not_found` and `host_unavailable`. */
  clear(name: string, by: string): Promise<void>;
  /** Calls back with each change, such as for notifications, until the returned function is called. */
  subscribe(listener: (change: AlertChange) => void): () => void;
}
