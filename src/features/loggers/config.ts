import type { z } from "zod";
import { hasLength } from "../../base/text/text-length.ts";
import { topicNameProblem } from "../../base/topics/topic-subject.ts";
import type { ConfigFeature } from "../../config/config-feature.ts";
import { defaulted, entriesOf, listOf, namedMap, section } from "../../config/schema/schema-kinds.ts";
import { flag, integer, ringMemory, text } from "../../config/schema/schema-values.ts";
import { MAX_LOGGER_TOPICS, MAX_LOGGERS } from "./contract.ts";
import { MAX_DIVISOR, MAX_LOG_SIZE } from "./limits.ts";

const topic = section({
  name: text("the name of a topic", topicNameProblem).meta({ description: "The topic." }),
  log_size: defaulted("Samples to keep. Default {}.", integer(1, MAX_LOG_SIZE), 10_000),
  divisor: defaulted("Every n-th sample is kept. Default {}.", integer(1, MAX_DIVISOR), 1),
});

const logger = section(
  {
    autostart: defaulted("Record until it is stopped. Default {}.", flag, true),
    only_ts: defaulted("Keep times without payload. Default {}.", flag, false),
    topics: defaulted(`The topics, at most ${MAX_LOGGER_TOPICS}.`, listOf("topics", topic), []),
  },
  {
    check(values, report) {
      const topics = values.get("topics");
      if (!Array.isArray(topics)) return;
      if (topics.length > MAX_LOGGER_TOPICS)
        report({ path: ["topics"], message: `has ${topics.length} topics; at most ${MAX_LOGGER_TOPICS} are allowed` });
      const names = topics.map((each: unknown) => entriesOf(each)?.get("name"));
      const index = names.findIndex((name, at) => name !== undefined && names.indexOf(name) < at);
      if (index >= 0) report({ path: ["topics", index, "name"], message: `the topic '${String(names[index])}' is listed twice` });
    },
  },
);

/** Loggers: the last samples of topics, in the memory of the daemons (docs/recordings.md). */
const loggers = section(
  {
    max_memory: defaulted("Memory for the samples of all loggers on each host. Default {}.", ringMemory, "256MiB"),
    named: defaulted(`Loggers by name, at most ${MAX_LOGGERS}.`, namedMap("a mapping from names to loggers", logger, nameProblem), {}),
  },
  {
    check(values, report) {
      const count = entriesOf(values.get("named"))?.size ?? 0;
      if (count > MAX_LOGGERS) report({ path: ["named"], message: `has ${count} loggers; at most ${MAX_LOGGERS} are allowed` });
    },
  },
);
export type LoggerSettings = Readonly<z.output<typeof loggers>>;
/** Settings of one logger. */
export type LoggerDefinition = Readonly<Omit<z.output<typeof logger>, "autostart">>;

export const loggersConfig = {
  file: { loggers: defaulted("The last samples of topics, kept in the memory of the daemons for download.", loggers, {}) },
} satisfies ConfigFeature;

function nameProblem(name: string): string | null {
  return hasLength(name, 1, 255) ? null : "must have 1 to 255 characters";
}
