import { z } from "zod";
import { TASK_COLUMNS, type TaskColumnName } from "../features/process-list/task-columns.ts";

/** Columns of text, compared by code units; `process` is null for a task of no managed process, `env` where it may not be read. */
const TEXT_COLUMNS = new Set<TaskColumnName>(["user", "process", "name", "state", "affinity", "start_time", "command", "env"]);
export const isTextColumn = (name: TaskColumnName): boolean => TEXT_COLUMNS.has(name);

export type TaskCell = string | number | null;

/** A page of a list: rows of cells in the order of TASK_COLUMNS. */
export const taskPage = z.array(z.array(z.union([z.string(), z.number(), z.null()])).length(TASK_COLUMNS.length));

/** A page of loads: name of the process; CPU time so far, milliseconds; resident bytes; living processes; age of the oldest, milliseconds. */
export const loadPage = z.array(z.tuple([z.string(), z.number(), z.number(), z.number(), z.number()]));

/** CPU time that all CPUs of a machine together have been busy since it started, milliseconds. */
export const machineCpu = z.object({ busy_ms: z.number(), cpus: z.number().int().min(1) });

/** How a task is scheduled, in the kernel's terms: `prio` is 1 to 99 for FIFO and RR, else 0. */
export const taskScheduling = {
  policy: z.number().int(),
  prio: z.number().int(),
  /** CPU numbers, ascending. */
  affinity: z.array(z.number().int().min(0)).min(1),
  nice: z.number().int().min(-20).max(19),
};
