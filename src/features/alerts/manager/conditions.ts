import type { Conditions } from "../../../app/conditions.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { alertReasons } from "../alert-text.ts";
import type { AlertChange } from "./alerts.ts";

const KINDS = { silent: "output_silent", output: "output_matched" } as const;

/** Raises or clears the condition for one reason of an alert. */
export function raiseCondition(conditions: Pick<Conditions, "raise" | "clear">, { kind, reason, name, alert }: AlertChange): void {
  const which = { kind: KINDS[reason], process: name, host: alert.host };
  // Output that matched stays noted until a user dismisses it or the process starts again: nothing recovers by itself.
  if (kind === "cleared") {
    conditions.clear(which, reason === "silent" ? "recovered" : "ended");
    return;
  }
  const only = { silent: null, output: null, [reason]: alert[reason] };
  const [why = ""] = alertReasons(only, { time: (timestamp) => `${timestamp} UTC`, text: visible });
  conditions.raise({ ...which, text: `process ${visible(name)}: ${why}` });
}
