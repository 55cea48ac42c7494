import type { Conditions } from "../../../app/conditions.ts";
import { visible } from "../../../base/text/visible-text.ts";
import type { LimitChange } from "./limits.ts";

/** Raises or clears the condition for a limit that a process has reached. */
export function raiseCondition(conditions: Pick<Conditions, "raise" | "clear">, { kind, name, host, limit, text }: LimitChange): void {
  const which = { kind: "limit_reached", process: name, host, key: limit.measure };
  if (kind === "reached") conditions.raise({ ...which, text: `process ${visible(name)}: ${visible(text)}` });
  // It may be below the limit, have been dismissed, or have ended with its run: these cases are not distinguished.
  else conditions.clear(which, "ended");
}
