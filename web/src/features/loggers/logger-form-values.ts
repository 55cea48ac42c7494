import type { DaemonLogger } from "../../../../src/features/loggers/wire.ts";
import type { FrameOf } from "../../../../src/protocol/frames/frames.ts";

/** A topic in the form; numbers are text as typed. */
export interface LoggerFormTopic {
  readonly name: string;
  readonly logSize: string;
  readonly divisor: string;
}

export interface LoggerForm {
  readonly name: string;
  readonly onlyTs: boolean;
  readonly topics: readonly LoggerFormTopic[];
}

const LOG_SIZE = "10000";

/** Sets the topics of the form: known ones keep their numbers, new ones get those of the last topic. */
export function withTopics(form: LoggerForm, names: readonly string[]): LoggerForm {
  const known = new Map(form.topics.map((topic) => [topic.name, topic]));
  const last = form.topics.at(-1);
  const fresh = { logSize: last?.logSize ?? LOG_SIZE, divisor: last?.divisor ?? "1" };
  return { ...form, topics: names.map((name) => known.get(name) ?? { name, ...fresh }) };
}

/** The form of a logger. The logger lists a topic once for each host that has samples of it, the form only once. */
export function formOf({ name, topics }: Pick<DaemonLogger, "name" | "topics">): LoggerForm {
  const byName = new Map(topics.map((topic) => [topic.name, topic]));
  return {
    name,
    onlyTs: topics.some(({ only_ts }) => only_ts),
    topics: [...byName.values()].map((topic) => ({ name: topic.name, logSize: String(topic.log_size), divisor: String(topic.divisor) })),
  };
}

export function topicNames({ topics }: Pick<DaemonLogger, "topics">): string[] {
  return [...new Set(topics.map(({ name }) => name))];
}

export function configurationOf({ name, onlyTs, topics }: LoggerForm): FrameOf<"configure_logger"> {
  return {
    type: "configure_logger",
    name: name.trim(),
    only_ts: onlyTs,
    topics: topics.map((topic) => ({ name: topic.name, log_size: Number(topic.logSize), divisor: Number(topic.divisor) })),
  };
}

export function samplesOf({ topics }: Pick<DaemonLogger, "topics">): number {
  return topics.reduce((sum, { n_samples }) => sum + n_samples, 0);
}
