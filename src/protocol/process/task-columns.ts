/** A thread of a host as its kernel knows it; or, where threads are not asked for, a process: then `tid` is `pid`. */
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
