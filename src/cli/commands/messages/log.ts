import { formatLogLine } from "../../../http/log/log-stream.ts";
import type { LogEntry, LogLevel } from "../../../protocol/resources/resources.ts";
import { stayConnected, withManager } from "../../manager/connection.ts";
import type { ConnectionFlags } from "../../manager/connection-target.ts";
import { jsonText } from "../../output/table.ts";

export interface LogFlags extends ConnectionFlags {
  follow?: boolean;
  level: LogLevel;
  lines?: number;
  json?: boolean;
}

/** `mgr log [-f]`: prints the manager's own log, and with -f new entries, each entry once. */
export async function log(flags: LogFlags): Promise<void> {
  const { level, lines } = flags;
  const print = flags.json ? (entry: LogEntry) => `${jsonText(entry, { oneLine: true })}\n` : formatLogLine;
  let printed = 0;
  const show = (entries: readonly LogEntry[]) => {
    const fresh = entries.filter((entry) => entry.id > printed);
    printed = fresh.at(-1)?.id ?? printed;
    process.stdout.write(fresh.map(print).join(""));
  };
  await withManager(flags, async (client) => {
    // Live entries wait until the history is printed: their ids show which ones are in it.
    const early: LogEntry[] = [];
    let live = (entries: readonly LogEntry[]): void => {
      early.push(...entries);
    };
    client.frames$.subscribe((frame) => {
      if (frame.type === "log_batch" && frame.history !== true) live(frame.entries);
    });
    if (flags.follow) await client.request({ type: "set_log_min_level", level });
    const history = await client.request({ type: "request_logs", level, ...(lines === undefined ? {} : { limit: lines }) });
    if (history.type === "log_batch") show(history.entries);
    if (!flags.follow) return;
    show(early);
    live = show;
    await stayConnected(client);
  });
}
