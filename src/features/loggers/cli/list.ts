import { withManager } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import { paint, printJson, table } from "../../../cli/output/table.ts";
import type { DaemonLogger, LoggerTopic } from "../wire.ts";
import { findLoggers } from "./find-loggers.ts";

/** `mgr logger list [NAME…]`: loggers, their topics, and how many samples they hold. */
export async function loggerList(names: string[], flags: ConnectionFlags & { json?: boolean }): Promise<void> {
  await withManager(flags, async (client) => {
    const loggers = await findLoggers(client, names);
    if (flags.json) printJson(loggers);
    else process.stdout.write(`${listing(loggers)}\n`);
  });
}

interface Row {
  readonly logger: DaemonLogger;
  readonly topic: LoggerTopic | null;
  readonly isFirst: boolean;
}

/** One line per topic; the logger is shown in the first one. */
export function listing(loggers: DaemonLogger[]): string {
  const rows = loggers.flatMap((logger): Row[] => {
    if (logger.topics.length === 0) return [{ logger, topic: null, isFirst: true }];
    return logger.topics.map((topic, index) => ({ logger, topic, isFirst: index === 0 }));
  });
  return table<Row>(
    [
      { title: "LOGGER", text: ({ logger, isFirst }) => (isFirst ? logger.name : "") },
      {
        title: "STATE",
        text: ({ logger, isFirst }) => (isFirst ? (logger.enabled ? "started" : "stopped") : ""),
        paint: ({ logger }, padded) => paint(logger.enabled ? "green" : "grey", padded),
      },
      { title: "TOPIC", text: ({ topic }) => topic?.name ?? "-" },
      { title: "SAMPLES", text: ({ topic }) => String(topic?.n_samples ?? 0), right: true },
      { title: "OF", text: ({ topic }) => String(topic?.log_size ?? 0), right: true },
      { title: "EVERY", text: ({ topic }) => String(topic?.divisor ?? 1), right: true },
      { title: "KEEPS", text: ({ topic }) => (topic?.only_ts ? "times" : "messages") },
      { title: "ACTIVE", text: ({ topic }) => (topic?.active ? "yes" : "no") },
      { title: "DEFINITION", text: ({ topic }) => topic?.md_name || "-" },
    ],
    rows,
  );
}
