import { z } from "zod";
import { session } from "../../contract/fields.ts";
import { listPage } from "../../contract/pages.ts";
import { TASK_COLUMNS } from "./task-columns.ts";

const taskCell = z.union([z.string(), z.number(), z.null()]);
export type TaskCell = z.infer<typeof taskCell>;

/** A page of a list: rows of cells in the order of TASK_COLUMNS. */
export const taskPage = z.array(z.array(taskCell).length(TASK_COLUMNS.length));

/** Scheduling of a task in the kernel's terms: `prio` is 1 to 99 for FIFO and RR, else 0. */
const taskScheduling = {
  policy: z.int(),
  prio: z.int(),
  /** CPU numbers, ascending. */
  affinity: z.array(z.int().min(0)).min(1),
  nice: z.int().min(-20).max(19),
};

export const PROCESS_LIST_REQUESTS = {
  /**
   * A list of the host's current tasks, as `taskPage`. CPU percentages cover the time since the last
   * request of the same `requester`. The first request takes one second to measure. `bad_field`: `filter`.
   */
  tasks: {
    request: z.object({
      session,
      requester: z.string().min(1).max(64),
      show_threads: z.boolean(),
      show_env: z.boolean(),
      filter: z.string().max(65_536),
    }),
    response: z.object({ ...listPage, time: z.number() }),
  },
  /**
   * Changes everything or nothing; without `nice`, the value stays. The answer has the values that the kernel reports afterwards. Rejects
   * if the kernel refuses.
   */
  set_task: {
    request: z.object({
      session,
      pid: z.int().min(1),
      tid: z.int().min(1),
      ...taskScheduling,
      nice: taskScheduling.nice.exactOptional(),
    }),
    response: z.object(taskScheduling),
  },
} as const;
