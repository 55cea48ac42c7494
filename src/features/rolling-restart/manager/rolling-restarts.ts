import type { ViewMode } from "../../../transport/view.ts";
import type { RestartStep } from "../wire.ts";

/** The rolling restarts. */
export interface RollingRestarts {
  /** The turns of the processes in view, by rolling restart and in its order. */
  list(view: ViewMode): RestartStep[];
  /** Begins a rolling restart; returns its id. Throws `not_found`, `conflict` if one of the processes is in another one, or `busy`. */
  begin(names: readonly string[], options: { readonly timeoutMs: number; readonly by: string }): string;
  /** Ends it after the process that it is restarting now. Throws `not_found` if there is none of this id, or it has ended. */
  cancel(id: string, by: string): void;
  /** The processes of a rolling restart; null: there is none of this id. */
  namesOf(id: string): readonly string[] | null;
}
