import type { Topic } from "../../data-plane/wire/topic.ts";
import type { LoggerTopicSpec, RingReport } from "../contract.ts";
import type { DaemonLogger, LoggerTopic } from "../wire.ts";
import type { RequestedLogger } from "./logger-book.ts";

/** The rings of a logger on one host. */
export interface HostRings {
  readonly host: string;
  readonly isReady: boolean;
  readonly rings: readonly RingReport[];
}

/** The logger as clients see it. A topic is listed once for each host that has samples of it. */
export function loggerResource(
  name: string,
  { only_ts, topics, is_started }: RequestedLogger,
  hosts: readonly HostRings[],
  topicOf: (name: string) => Topic | undefined,
): DaemonLogger {
  const rows = topics.flatMap((spec) => rowsOf(spec, { only_ts, is_started }, hosts, topicOf(spec.name)));
  const active = new Set(rows.flatMap((row) => (row.active ? [row.name] : [])));
  return { name, enabled: is_started, active_topics: [...active], topics: rows };
}

function rowsOf(
  { name, log_size, divisor }: LoggerTopicSpec,
  { only_ts, is_started }: Pick<RequestedLogger, "only_ts" | "is_started">,
  hosts: readonly HostRings[],
  topic: Topic | undefined,
): LoggerTopic[] {
  const common = { name, log_size, divisor, only_ts, enabled: is_started };
  const rows = hosts.flatMap(({ host, isReady, rings }) => {
    const ring = rings.find((each) => each.topic === name);
    const isPublished = topic?.publisher_host === host;
    // An empty encoding means that no message has arrived there.
    if (ring === undefined || ring.encoding === "" || (ring.end === ring.first && !isPublished)) return [];
    const active = is_started && isReady && isPublished;
    return [{ ...common, active, n_samples: ring.end - ring.first, md_name: ring.definition_name, port: `${host}:${name}` }];
  });
  if (rows.length > 0) return rows;
  const port = topic === undefined ? "" : `${topic.publisher_host}:${name}`;
  return [{ ...common, active: false, n_samples: 0, md_name: topic?.message_definition ?? "", port }];
}
