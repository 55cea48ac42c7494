/** The columns of a task: a thread or, if threads were not requested, a process, with `tid` equal to `pid`. */
export const TASK_COLUMNS = [
  "pid",
  "tid",
  "ppid",
  "user",
  "process",
  "name",
  "state",
  "policy",
  "prio",
  "nice",
  "affinity",
  "processor",
  "cpu_percent",
  "memory_rss",
  "memory_percent",
  "threads",
  "start_time",
  "cpu_time",
  "command",
  "env",
] as const;
export type TaskColumnName = (typeof TASK_COLUMNS)[number];
