import type { Owners } from "../../../base/access/access.ts";
import type { AnswerOf } from "../../../protocol/frames/frames.ts";
import type { Mode } from "../wire.ts";

/** The modes of the configuration. */
export interface Modes {
  /** In the order of the configuration. */
  list(): Mode[];
  /** Plan of a switch at this moment. Throws `not_found`. */
  plan(name: string): Omit<AnswerOf<"plan_mode">, "request_id">;
  /** The processes that a switch may start or stop; null: it needs the role on everything. */
  ownersOf(name: string): Owners;
  /** Begins a switch. Resolves when it is saved; throws `not_found`. */
  switchTo(name: string, by: string): void | Promise<void>;
}
