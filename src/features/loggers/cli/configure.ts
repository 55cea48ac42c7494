import { compileFnmatch, isLiteral } from "../../../base/patterns/fnmatch.ts";
import { visible } from "../../../base/text/visible-text.ts";
import { subjectOfTopic } from "../../../base/topics/topic-subject.ts";
import { CommandFailure, EXIT } from "../../../cli/command/exit-codes.ts";
import { withManager } from "../../../cli/manager/connection.ts";
import type { ConnectionFlags } from "../../../cli/manager/connection-target.ts";
import type { DaemonLogger, LoggerTopic } from "../wire.ts";
import { findLoggers } from "./find-loggers.ts";

export interface ConfigureFlags extends ConnectionFlags {
  logSize: number;
  divisor: number;
  onlyTs?: boolean;
  add?: boolean;
}

type RequestedTopic = Pick<LoggerTopic, "name" | "log_size" | "divisor">;

/** `mgr logger configure NAME TOPIC…`: creates or changes a logger. */
export async function loggerConfigure(name: string, topics: string[], flags: ConfigureFlags): Promise<void> {
  await withManager(flags, async (client) => {
    const { topics: published } = await client.request({ type: "request_topics" });
    const before = (await findLoggers(client, [])).find((logger) => logger.name === name);
    const requested = requestedTopics(
      namesOf(
        topics,
        published.map((topic) => topic.name),
      ),
      flags,
      before,
    );
    const onlyTs = flags.onlyTs ?? (flags.add ? (before?.topics.some(({ only_ts }) => only_ts) ?? false) : false);
    await client.logger(name).configure({ only_ts: onlyTs, topics: requested });
    process.stdout.write(`${configuredText(name, requested)}\n`);
  });
}

/** Keeps names as they are, published or not, and replaces patterns with the published topics that match. */
export function namesOf(topics: readonly string[], published: readonly string[]): string[] {
  const found = topics.flatMap((topic) => {
    if (published.includes(topic)) return [topic];
    if (isLiteral(topic)) {
      subjectOfTopic(topic);
      return [topic];
    }
    const matches = published.filter(compileFnmatch(topic));
    if (matches.length === 0)
      throw new CommandFailure(EXIT.notFound, `'${topic}' matches no topic that is published; 'mgr topic list' lists all`);
    return matches;
  });
  return [...new Set(found)];
}

/** With `add`, the logger's other topics stay. */
export function requestedTopics(
  names: readonly string[],
  { logSize, divisor, add }: ConfigureFlags,
  before?: DaemonLogger,
): RequestedTopic[] {
  const kept = add ? (before?.topics ?? []).filter((topic) => !names.includes(topic.name)) : [];
  // A topic is listed once for each host that has samples of it.
  const old = new Map(kept.map((topic) => [topic.name, { name: topic.name, log_size: topic.log_size, divisor: topic.divisor }]));
  return [...old.values(), ...names.map((name) => ({ name, log_size: logSize, divisor }))];
}

export function configuredText(name: string, topics: readonly Pick<LoggerTopic, "name">[]): string {
  return visible(`${name}: ${topics.map((topic) => topic.name).join(", ")}`);
}
