import { z } from "zod";
import { count, hostName, objectName, pattern, text, timestamp } from "../../protocol/frames/field-kinds.ts";
import { answer, clientFrames, event, managerFrames, result } from "../../protocol/frames/frame-table.ts";
import { historyEventCommands, historyEventFrames } from "./event-wire.ts";
import { memoryCommands, memoryFrames } from "./memory-wire.ts";
import { DEFAULT_POINTS, MAX_NAMES, MAX_POINTS, PROCESS_SERIES, STATISTICS } from "./series.ts";
import { timeRange } from "./time-range.ts";

const figure = z.number().nullable();

const load = z
  .object({
    cpu_percent: figure.describe("Of one CPU."),
    memory: figure.describe("Bytes: resident, or what the cgroup of the run counts."),
    threads: figure,
    descriptors: figure.describe("Open descriptors."),
    read_bytes_s: figure.describe("From disks."),
    written_bytes_s: figure.describe("To disks."),
    context_switches_s: figure,
    major_faults_s: figure.describe("Page faults that had to read from a disk."),
  })
  .meta({ id: "LoadFigures", description: "What the tree of a process uses; null: not known." });
export type LoadFigures = z.infer<typeof load>;

const curve = z.object({ min: z.array(figure), mean: z.array(figure), max: z.array(figure) }).meta({
  id: "LoadCurve",
  description: "One value for each point, oldest first; null: nothing was measured. Empty where it was not requested.",
});
export type LoadCurve = z.infer<typeof curve>;

const history = {
  start: timestamp.describe("Of the first point, by the clock of the host."),
  step: z.number().describe("Seconds from one point to the next."),
  resolution: z.number().describe("Seconds of the measurements that the points are made of: 1, 10 or 300."),
  oldest: timestamp.nullable().describe("Where the history begins; null: there is none."),
};

const processHistory = z
  .object({
    name: z.string(),
    host: z.string(),
    ...history,
    series: z.record(z.string(), curve).describe("By name, as in LoadFigures."),
  })
  .meta({ id: "ProcessLoadHistory" });
export type ProcessLoadHistory = z.infer<typeof processHistory>;

const namesSay = `must be an array of at most ${MAX_NAMES} names of 1 to 255 characters`;
const range = {
  ...timeRange,
  points: count(MAX_POINTS)
    .describe(`Most points of each series; default ${DEFAULT_POINTS}, at most ${MAX_POINTS}. Fewer where many processes are requested.`)
    .exactOptional(),
};
const selection = {
  names: z
    .array(text(1, 255, namesSay), { error: namesSay })
    .max(MAX_NAMES, { error: namesSay })
    .describe("Processes, whether they run or not.")
    .exactOptional(),
  pattern: pattern.describe("fnmatch pattern of further processes. Without both: all.").exactOptional(),
};
const statisticsSay = `must be an array of ${STATISTICS.join(", ")}`;
const away = z.array(z.string()).describe("Hosts that could not be asked.");

const loadCommands = clientFrames("Load history", {
  request_load_history: {
    fields: {
      ...selection,
      ...range,
      series: z
        .array(z.enum(PROCESS_SERIES, { error: `must be of ${PROCESS_SERIES.join(", ")}` }), {
          error: `must be an array of ${PROCESS_SERIES.join(", ")}`,
        })
        .describe("Default all.")
        .exactOptional(),
      statistics: z
        .array(z.enum(STATISTICS, { error: statisticsSay }), { error: statisticsSay })
        .describe("What of each point is answered; default all.")
        .exactOptional(),
    },
    answer: "load_history",
    scope: "output",
    role: "viewer",
    readOnly: true,
    meaning: "What processes used in the past. On a focused connection, of those in view.",
  },
  request_host_load_history: {
    fields: { host: hostName, ...range },
    answer: "host_load_history",
    scope: "global",
    role: "viewer",
    readOnly: true,
    meaning: "What a machine used in the past, managed processes or not.",
  },
  request_newest_load: {
    fields: selection,
    answer: "newest_load",
    scope: "output",
    role: "viewer",
    readOnly: true,
    meaning: "The newest measurement of each process that runs, at most 10 s old. On a focused connection, of those in view.",
  },
  subscribe_load: {
    fields: { name: objectName.describe("Name of a process or group.") },
    answer: null,
    scope: "name",
    role: "viewer",
    readOnly: true,
    meaning: "Measures its processes each second, as `load_sample`. A connection may hold 200 of them.",
  },
  unsubscribe_load: {
    fields: { name: objectName.describe("As in `subscribe_load`.") },
    answer: null,
    scope: "name",
    role: "viewer",
    readOnly: true,
    meaning: "Ends `subscribe_load`.",
  },
});

export const loadHistoryCommands = { ...loadCommands, ...historyEventCommands, ...memoryCommands };

const loadFrames = managerFrames("Load history", {
  load_history: result(
    {},
    { processes: z.array(processHistory).describe("Those of which there is a history, one for each host that has one."), away },
    "Load of processes over time.",
  ),
  host_load_history: result(
    { host: z.string() },
    {
      ...history,
      series: z
        .record(z.string(), curve)
        .describe(
          "cpu_percent (of all CPUs), memory_used, swap_used, disk_free (of the state folder), read_bytes_s and written_bytes_s (of its disk), load (of the last minute), temperature (°C, of the hottest sensor), and cpu_0 … in percent.",
        ),
    },
    "What a machine used.",
  ),
  newest_load: answer(
    { processes: z.array(z.object({ name: z.string(), host: z.string(), ts: timestamp, load })), away },
    "One entry for each process that runs, on the hosts that can be reached.",
  ),
  load_sample: event(
    { name: z.string(), host: z.string(), ts: timestamp, load },
    "One measurement of a process. A connection that is behind gets the newest of each process only.",
  ),
});

export const loadHistoryFrames = { ...loadFrames, ...historyEventFrames, ...memoryFrames };
