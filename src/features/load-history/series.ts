/** Figures of the tree of a managed process. Rates are means over the time since the measurement before. */
export const PROCESS_SERIES = [
  "cpu_percent",
  "memory",
  "threads",
  "descriptors",
  "read_bytes_s",
  "written_bytes_s",
  "context_switches_s",
  "major_faults_s",
] as const;
export type ProcessSeries = (typeof PROCESS_SERIES)[number];

/** Figures of a whole machine, managed processes or not. `cpu_0` … follow, one for each CPU. */
export const HOST_SERIES = [
  "cpu_percent",
  "memory_used",
  "swap_used",
  "disk_free",
  "read_bytes_s",
  "written_bytes_s",
  "load",
  "temperature",
] as const;

/** Figures in the order of their series; null: not known. */
export type Figures = readonly (number | null)[];

/** The statistic that a point of a curve shows of its time. */
export const STATISTICS = ["min", "mean", "max"] as const;
export type Statistic = (typeof STATISTICS)[number];

/** The kinds of events that marks of a history show. */
export const EVENT_KINDS = ["crash", "restart", "state", "command", "configuration"] as const;
export type EventKind = (typeof EVENT_KINDS)[number];
/** Most events of one answer. */
export const MAX_EVENTS = 1_000;
/** Shortest time between two measurements of the proportional memory of a process, milliseconds. */
export const MEMORY_DETAIL_MS = 10_000;

/** Most points of one answer for each series, and by default. */
export const MAX_POINTS = 1_000;
export const DEFAULT_POINTS = 300;
/** Most names of one request, and most processes that are sampled each second for its clients. */
export const MAX_NAMES = 1_000;
/** Interval of samples, milliseconds: of everything, and of what is watched. */
export const SAMPLE_MS = 10_000;
export const WATCHED_SAMPLE_MS = 1_000;
/** Period of the slots that are kept longest, milliseconds. */
export const LONG_SLOT_MS = 300_000;
