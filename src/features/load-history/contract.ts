import { z } from "zod";
import { session } from "../../contract/fields.ts";
import { listPage } from "../../contract/pages.ts";
import { MAX_NAMES, MAX_POINTS, PROCESS_SERIES, STATISTICS } from "./series.ts";

/** Wall clock of the host, milliseconds since 1970. */
const time = z.number();
const processName = z.string().max(1_024);
/** Null: not known, or not measured. */
const figure = z.number().nullable();

/** Values of one series at each point, oldest first; empty where they were not requested. */
const curve = z.object({ min: z.array(figure), mean: z.array(figure), max: z.array(figure) });
export type Curve = z.infer<typeof curve>;

/** One process, or the machine with the name "". Points are `step_ms` apart; the first one begins at `start`. */
const historyRow = z.object({
  name: z.string(),
  start: time,
  step_ms: z.number(),
  /** Period of the slots that the points are made of, milliseconds. */
  slot_ms: z.number(),
  /** Start of its history; null: there is none. */
  oldest: time.nullable(),
  series: z.record(z.string(), curve),
});
export type HistoryRow = z.infer<typeof historyRow>;
export const historyPage = z.array(historyRow);

/** A process and its newest figures, in the order of PROCESS_SERIES. */
const loadRow = z.tuple([z.string(), z.array(figure).length(PROCESS_SERIES.length)]);
/** The same with the time of the figures. */
export const newestPage = z.array(z.tuple([...loadRow.def.items, time]));

/** Bytes; null: not known. Numbers of processes that were measured, and that were not. */
const memoryDetail = z.object({ time, pss: figure, private: figure, swap: figure, processes: z.int(), unknown: z.int() });
export type MemoryDetail = z.infer<typeof memoryDetail>;

const range = { from: time, until: time, points: z.int().min(1).max(MAX_POINTS) };
const list = z.object({ ...listPage, time });

export const LOAD_HISTORY_REQUESTS = {
  /**
   * History of the processes of these names, and of those that match the pattern, as `historyPage`; also of processes that no
   * longer run. Of the series and statistics, all if none is named. There are fewer points where many processes are requested.
   */
  load_history: {
    request: z.object({
      session,
      names: z.array(processName).max(MAX_NAMES),
      pattern: z.string().max(1_024).nullable(),
      series: z.array(z.enum(PROCESS_SERIES)),
      statistics: z.array(z.enum(STATISTICS)),
      ...range,
    }),
    response: list,
  },
  /** History of the machine: one row. */
  host_load_history: { request: z.object({ session, ...range }), response: list },
  /** The newest figures of each process that runs, as `newestPage`. */
  newest_loads: { request: z.object({ session }), response: list },
  /** Proportional memory of the tree of a process; nothing is measured again within MEMORY_DETAIL_MS. */
  memory_detail: { request: z.object({ session, name: processName }), response: memoryDetail },
  /** Samples these processes each second, in place of those requested before, for WATCH_MS: the manager renews it. */
  watch_loads: { request: z.object({ session, names: z.array(processName).max(MAX_NAMES) }), response: z.object({}) },
} as const;

/** Time after which a watch expires, and time after which the manager renews it, milliseconds. */
export const WATCH_MS = 30_000;
export const RENEW_MS = 10_000;
/** Most rows in one message. */
export const MAX_SAMPLE_ROWS = 200;

/** Processes that are watched, each second. */
export const LOAD_HISTORY_NEWS = { load_samples: z.object({ time, rows: z.array(loadRow).max(MAX_SAMPLE_ROWS) }) } as const;
