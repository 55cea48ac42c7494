import type { Config } from "../../../config/definition.ts";
import type { AlertRule } from "../contract.ts";

/** The rules of the processes that are configured for a host. `isLocal`: it is the manager's own. */
export function rulesOf({ processes }: Pick<Config, "processes">, host: string, isLocal: boolean): AlertRule[] {
  return [...processes.values()].flatMap(({ name, alert, host: configured }) =>
    alert !== null && (configured === host || (configured === null && isLocal))
      ? [{ name, silent_ms: alert.silent_for, pattern: alert.output_matches }]
      : [],
  );
}
