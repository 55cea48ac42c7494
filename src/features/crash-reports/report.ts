import { z } from "zod";
import { text, timestamp } from "../../protocol/frames/field-kinds.ts";

/** A crash report: as the host keeps it, as the manager gets it, and as clients see it. */

/** Id of the run, which is also that of its report. */
export const reportId = text(1, 64).describe("Id of the run, and of its report.");

const problem = z.string().nullable();

const summaryFields = {
  name: z.string().describe("Name of the process."),
  host: z.string(),
  run_id: reportId,
  time: timestamp.describe("When it ended, by the clock of the host."),
  start_time: timestamp.nullable().describe("Null: it could not be started."),
  pid: z.int().nullable(),
  code: z.int().nullable(),
  signal: z.string().nullable(),
  reason: z.string().nullable().describe("Why it counts as failed, where code and signal do not say it."),
  dumped_core: z.boolean().describe("The kernel wrote a core dump, or gave one to a program."),
  has_backtrace: z.boolean(),
  skipped: z.int().describe("Crashes between the report before and this one that got none: a process gets a report every 10 s at most."),
} as const;

export const storedSummary = z.object(summaryFields);
export type StoredSummary = z.infer<typeof storedSummary>;

export const crashSummary = z
  .object({ ...summaryFields, size: z.int().describe("Bytes on the host.") })
  .meta({ id: "CrashSummary", description: "A crash report without its content." });
export type CrashSummary = z.infer<typeof crashSummary>;

const figures = z.array(z.number().nullable());

const output = z
  .object({
    text: z.string().describe("As the process printed it, with escape sequences. Invalid UTF-8 is U+FFFD."),
    bytes: z.int().describe("Bytes that the run printed in all."),
    truncated: z.boolean().describe("There was more before."),
    times: z
      .array(z.object({ line: z.int(), time: timestamp }))
      .describe(
        "When lines were written, to a second or less precisely: each time is that of its line (0 is the first) and of those up to the next.",
      ),
  })
  .meta({ id: "CrashOutput" });

const resources = z
  .object({
    start: timestamp.describe("Of the first point."),
    step: z.number().describe("Seconds from one point to the next."),
    series: z
      .record(z.string(), z.object({ min: figures, mean: figures, max: figures }))
      .describe("By name, as in LoadFigures; null: nothing was measured."),
  })
  .meta({ id: "CrashResources", description: "The load of the last ten minutes." });

const limit = z.int().nullable();

const executable = z
  .object({
    path: z.string(),
    size: z.int().describe("Bytes, when the run began."),
    modified: timestamp.describe("When its file was changed last before the run began."),
    build_id: z.string().nullable().describe("Of its linker; null: it has none, or the file has changed since."),
    replaced: z.boolean().describe("The file is another one now, or was removed."),
  })
  .meta({ id: "CrashExecutable" });
export type CrashExecutable = z.infer<typeof executable>;

export const crashReport = z
  .object({
    ...summaryFields,
    restarts: z.int().nullable().describe("Automatic restarts since the last requested start; null: not known."),
    command: z.string().describe("As configured."),
    cwd: z.string().describe("Folder in which it was started."),
    user: z.string().nullable().describe("As configured; null: the user of the host daemon."),
    output: output.nullable().describe("Null: it printed nothing, or could not be started."),
    resources: resources.nullable(),
    resources_problem: problem,
    limits: z
      .record(z.string(), z.object({ soft: limit, hard: limit }))
      .nullable()
      .describe("Resource limits in the kernel's units (setrlimit(2) in lower case); null: unlimited. Of a run that ended at once, null."),
    kernel: z
      .object({
        lines: z.array(z.object({ time: timestamp, text: z.string() })).describe("Lines of the kernel's log that name the pid."),
        log_problem: problem.describe("Why the kernel's log could not be read; null: it was."),
        oom_kills: z
          .int()
          .nullable()
          .describe("Processes that the kernel killed for lack of memory in its cgroup while it ran; null: not known."),
        oom_problem: problem,
      })
      .meta({ id: "CrashKernel" }),
    core: z.object({ path: z.string(), size: z.int() }).nullable().describe("The core dump, if it is in a file of the host."),
    core_problem: problem.describe("Why there is none, or how to get it."),
    backtrace: z.object({ text: z.string(), truncated: z.boolean() }).nullable().describe("Of all threads, by gdb."),
    backtrace_problem: problem.describe("Why there is no backtrace, or that it is being made."),
    versions: z
      .object({
        definition: z.string().describe("Hash of the definition of the process, as it was when the run began."),
        executable: executable.nullable().describe("Null: not known."),
        kernel: z.string(),
      })
      .meta({ id: "CrashVersions" }),
  })
  .meta({ id: "CrashReport", description: "What is known about a run that failed." });
export type CrashReport = z.infer<typeof crashReport>;
