import { z } from "zod";
import type { Greeting } from "../../actors/host-machine.ts";
import { withRest } from "../../base/text/names.ts";
import { type RunReport, runReport } from "../../contract/run.ts";
import type { LogBook } from "../../log/log-book.ts";
import { formatTime } from "../../protocol/time.ts";
import type { HostSession } from "./host-session.ts";
import { readList } from "./list-reader.ts";

/** Maximum number of restarted processes that a log entry names. */
const MAX_NAMED = 10;

/** Reads the runs that a host replaced while it had no manager, and logs what it did. */
export async function readPastRuns(
  session: HostSession,
  { from, until, restarts }: NonNullable<Greeting["alone"]>,
  log: LogBook,
): Promise<RunReport[]> {
  const page = await session.command((id) => session.link.request("past_runs", { session: id }));
  const runs = await readList(session, page, z.array(runReport));
  const counts = new Map<string, number>();
  for (const { name } of runs) counts.set(name, (counts.get(name) ?? 0) + 1);
  const names = [...counts].slice(0, MAX_NAMED).map(([name, count]) => (count === 1 ? `'${name}'` : `'${name}' (${count})`));
  const times = `${formatTime(from)} to ${formatTime(until)}`;
  log.warn(`host '${session.link.host}': ${restarts} restarts while disconnected, ${times}: ${withRest(names, counts.size)}`, [
    ...counts.keys(),
  ]);
  return runs;
}
