import { visible } from "../../../base/text/visible-text.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { withManager } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { processesIn } from "../../../cli/manager/selectors.ts";
import { clockTime } from "../../../cli/output/process-text.ts";
import { printJson, table } from "../../../cli/output/table.ts";
import { limitReasons } from "../client/limit-text.ts";
import type { LimitState } from "../wire.ts";

export interface LimitsFlags extends ConnectionFlags {
  clear?: boolean;
  json?: boolean;
}

/** `mgr limits [NAME…]`: shows the reached limits of processes, or dismisses them. */
export async function limits(names: string[], flags: LimitsFlags): Promise<void> {
  if (flags.clear && names.length === 0)
    throw new CommandFailure(EXIT.usage, "name the processes whose reached limits are dismissed: mgr limits --clear NAME");
  await withManager(flags, async (client) => {
    const snapshot = await client.snapshot();
    const chosen = new Set((names.length === 0 ? snapshot.processes : processesIn(snapshot, names)).map(({ name }) => name));
    const shown = snapshot.limits.filter(({ name, reached }) => chosen.has(name) && (!flags.clear || reached.length > 0));
    if (flags.clear) for (const { name } of shown) await client.request({ type: "clear_limits", name });
    if (flags.json) printJson(shown);
    else process.stdout.write(flags.clear ? dismissedText(shown) : `${limitsText(shown)}\n`);
  });
}

function dismissedText(dismissed: readonly LimitState[]): string {
  if (dismissed.length === 0) return "no reached limit to dismiss\n";
  return dismissed.map(({ name }) => `${visible(name)}: dismissed\n`).join("");
}

/** A table with a row for each limit, or that there are none. */
export function limitsText(shown: readonly LimitState[]): string {
  if (shown.length === 0) return "no process has reached a limit";
  const rows = shown.flatMap(({ name, host, reached, cgroup_problem }) => [
    ...limitReasons(reached, clockTime).map((reason) => ({ name, host, reason })),
    ...(cgroup_problem === null ? [] : [{ name, host, reason: cgroup_problem }]),
  ]);
  return table<(typeof rows)[number]>(
    [
      { title: "NAME", text: ({ name }) => name },
      { title: "HOST", text: ({ host }) => host },
      { title: "REASON", text: ({ reason }) => reason },
    ],
    rows,
  );
}
