import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { withManager } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { selectProcesses } from "../../../cli/manager/select.ts";
import { namesIn } from "../../../cli/manager/selectors.ts";
import { printJson } from "../../../cli/output/table.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";
import { formatTime } from "../../../protocol/time.ts";
import { DEFAULT_POINTS } from "../series.ts";
import { usageCsv, usageText } from "./usage-text.ts";

export interface UsageFlags extends ConnectionFlags {
  /** Ages, seconds. */
  since: number;
  until?: number;
  points?: number;
  csv?: boolean;
  json?: boolean;
}

/** As wide as a terminal has room beside the figures. */
const TABLE_POINTS = 40;

/** `mgr usage NAME…`: what processes used in the past. */
export async function usage(names: string[], flags: UsageFlags): Promise<void> {
  if (flags.csv && flags.json) throw new CommandFailure(EXIT.usage, "give either --csv or --json");
  await withManager(flags, async (client) => {
    const now = Date.now();
    const until = now - 1_000 * (flags.until ?? 0);
    const { processes, away } = await client.request({
      type: "request_load_history",
      names: await measuredNames(client, names),
      from: formatTime(now - 1_000 * flags.since),
      until: formatTime(until),
      points: flags.points ?? (flags.csv || flags.json ? DEFAULT_POINTS : TABLE_POINTS),
    });
    if (away.length > 0) process.stderr.write(`mgr: not asked, because their daemons cannot be reached: ${away.join(", ")}\n`);
    if (processes.length === 0)
      throw new CommandFailure(
        EXIT.notFound,
        `there is no load history of ${names.join(", ")}: processes are measured every 10 s while they run. Check the name with mgr ps`,
      );
    if (flags.json) printJson(processes);
    else if (flags.csv) for (const line of usageCsv(processes)) process.stdout.write(`${line}\n`);
    else process.stdout.write(`${processes.map((history) => usageText(history)).join("\n\n")}\n`);
  });
}

/** Processes, those of groups, and those that match a pattern; a name that is not configured may have a history all the same. */
async function measuredNames(client: ManagerClient, words: readonly string[]): Promise<string[]> {
  const snapshot = await client.snapshot();
  const names = namesIn(snapshot, words).flatMap((word) => {
    try {
      return selectProcesses(snapshot.processes, [word]).map(({ name }) => name);
    } catch (error) {
      if (error instanceof CommandFailure && !/[*?[]/.test(word)) return [word];
      throw error;
    }
  });
  return [...new Set(names)];
}
