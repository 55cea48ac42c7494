import { visible } from "../../../base/text/visible-text.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { withManager } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { processesIn } from "../../../cli/manager/selectors.ts";
import { clockTime } from "../../../cli/output/process-text.ts";
import { printJson, table } from "../../../cli/output/table.ts";
import { alertReasons } from "../alert-text.ts";
import type { Alert } from "../wire.ts";

export interface AlertsFlags extends ConnectionFlags {
  clear?: boolean;
  json?: boolean;
}

/** `mgr alerts [NAME…]`: shows the alerts of processes, or dismisses them. */
export async function alerts(names: string[], flags: AlertsFlags): Promise<void> {
  if (flags.clear && names.length === 0)
    throw new CommandFailure(EXIT.usage, "name the processes whose alerts are dismissed: mgr alerts --clear NAME");
  await withManager(flags, async (client) => {
    const snapshot = await client.snapshot();
    const chosen = new Set((names.length === 0 ? snapshot.processes : processesIn(snapshot, names)).map(({ name }) => name));
    const shown = snapshot.alerts.filter(({ name }) => chosen.has(name));
    if (flags.clear) for (const { name } of shown) await client.request({ type: "clear_alert", name });
    if (flags.json) printJson(shown);
    else process.stdout.write(flags.clear ? dismissedText(shown) : `${alertsText(shown)}\n`);
  });
}

function dismissedText(dismissed: readonly Alert[]): string {
  if (dismissed.length === 0) return "no alert to dismiss\n";
  return dismissed.map(({ name }) => `${visible(name)}: dismissed\n`).join("");
}

/** A table of alerts, or that there are none. */
export function alertsText(shown: readonly Alert[]): string {
  if (shown.length === 0) return "no process needs attention by its alert";
  return table<Alert>(
    [
      { title: "NAME", text: ({ name }) => name },
      { title: "HOST", text: ({ host }) => host },
      { title: "MATCHES", text: ({ output }) => (output === null ? "-" : String(output.matches)), right: true },
      { title: "REASON", text: (alert) => alertReasons(alert, { time: clockTime, text: (line) => line }).join("; ") },
    ],
    [...shown],
  );
}
