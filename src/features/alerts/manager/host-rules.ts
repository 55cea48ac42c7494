import type { Config } from "../../../config/definition.ts";
import { processesAt } from "../../../config/processes-by-host.ts";
import type { AlertRule } from "../contract.ts";

/** The rules of the processes that are configured for a host. `isLocal`: it is the manager's own. */
export function rulesOf(config: Pick<Config, "processes">, host: string, isLocal: boolean): AlertRule[] {
  return processesAt(config, host, isLocal).flatMap(({ name, alert }) =>
    alert !== null ? [{ name, silent_ms: alert.silent_for, pattern: alert.output_matches }] : [],
  );
}
