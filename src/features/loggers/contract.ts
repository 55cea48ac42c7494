import { z } from "zod";
import { count, session } from "../../contract/fields.ts";
import { listPage } from "../../contract/pages.ts";
import { MAX_DIVISOR, MAX_LOG_SIZE } from "./limits.ts";

/** Maximum number of loggers on one host; more are refused. */
export const MAX_LOGGERS = 100;
/** Maximum number of topics of one logger. */
export const MAX_LOGGER_TOPICS = 1_000;

/** A name of up to 255 characters, each of which may take two UTF-16 units. */
const name = z.string().min(1).max(510);

/** Settings of one topic of a logger. */
const loggerTopicSpec = z.object({
  name,
  /** Number of samples to keep. */
  log_size: z.int().min(1).max(MAX_LOG_SIZE),
  /** Every n-th sample is kept. */
  divisor: z.int().min(1).max(MAX_DIVISOR),
});
export type LoggerTopicSpec = z.infer<typeof loggerTopicSpec>;

/** A logger. All hosts receive the same one; each keeps the messages that its own programs publish. */
export const loggerSpec = z.object({
  name,
  /** Keep times without payload. */
  only_ts: z.boolean(),
  is_started: z.boolean(),
  topics: z.array(loggerTopicSpec).max(MAX_LOGGER_TOPICS),
});
export type LoggerSpec = z.infer<typeof loggerSpec>;

/** The samples of one topic that one logger of one host holds: those with the numbers from `first` to before `end`. */
export const ringReport = z.object({
  logger: name,
  topic: name,
  first: count,
  /** Number of samples kept since the ring was made. */
  end: count,
  definition_name: z.string(),
  encoding: z.string(),
  /** Messages missing in the sequence of `Mgr-Seq`: the publisher sent them, but they did not arrive at the broker. */
  missed: count,
  /** Samples evicted because the rings had used up their memory. */
  evicted: count,
});
export type RingReport = z.infer<typeof ringReport>;
export const ringPage = z.array(ringReport);

export const LOGGER_REQUESTS = {
  /**
   * Creates or changes a logger; repeating the request changes nothing. A ring keeps its samples if its topic, size, divisor and `only_ts`
   * stay the same. If the logger is not started, no sample is added after the answer. `max_memory` (bytes) limits all rings of the host
   * together.
   */
  logger_set: { request: z.object({ session, logger: loggerSpec, max_memory: z.int().min(1_048_576) }), response: z.object({}) },
  /** Does nothing if there is no such logger. */
  logger_delete: { request: z.object({ session, name }), response: z.object({}) },
  /** The names of all loggers, and a list of their rings. */
  logger_reports: { request: z.object({ session }), response: z.object({ ...listPage, loggers: z.array(name) }) },
  /** One ring, and the definition of its messages. Null: no sample has arrived. */
  logger_ring: {
    request: z.object({ session, logger: name, topic: name }),
    response: z.object({ ring: ringReport.extend({ definition: z.string() }).nullable() }),
  },
  /**
   * Binary records of the samples from number `from` to before `until`, without the first `skip` bytes. If samples were evicted meanwhile,
   * `from` of the answer is larger and its first record is whole. The next request passes `next` and `next_skip`.
   */
  logger_read: {
    request: z.object({ session, logger: name, topic: name, from: count, skip: count, until: count }),
    response: z.object({ from: count, next: count, next_skip: count, data: z.instanceof(Uint8Array) }),
  },
} as const;
