import type { NumberedReport } from "../../../src/features/crash-reports/client/report-text.ts";
import type { CrashReport } from "../../../src/features/crash-reports/wire.ts";

/** A report in which everything is known. */
export const REPORT: CrashReport = {
  name: "sim/world",
  host: "testhost",
  run_id: "7-3",
  time: "2026-11-21T08:14:02.123",
  start_time: "2026-11-21T08:00:00.000",
  pid: 4_711,
  code: null,
  signal: "SIGSEGV",
  reason: null,
  dumped_core: true,
  has_backtrace: true,
  skipped: 2,
  restarts: 1,
  command: "./world --gravity 9.81",
  cwd: "/srv/sim",
  user: "sim",
  output: {
    text: "\u001b[31mworld\u001b[0m is ready\r\nstep 77\r\n",
    bytes: 90_000,
    truncated: true,
    times: [{ line: 1, time: "2026-11-21T08:14:01.000" }],
  },
  resources: {
    start: "2026-11-21T08:13:40.000",
    step: 10,
    series: {
      cpu_percent: { min: [1, null, 3], mean: [2, null, 4], max: [3, null, 8] },
      memory: { min: [1_048_576, null, 2_097_152], mean: [1_048_576, null, 2_097_152], max: [1_048_576, null, 3_145_728] },
    },
  },
  resources_problem: null,
  limits: { core: { soft: null, hard: null }, nofile: { soft: 1_024, hard: 524_288 } },
  kernel: {
    lines: [{ time: "2026-11-21T08:14:02.100", text: "world[4711]: segfault at 10 ip 000055 sp 00007f error 6 in world" }],
    log_problem: null,
    oom_kills: 0,
    oom_problem: null,
  },
  core: { path: "/srv/sim/core.4711", size: 450_560 },
  core_problem: null,
  backtrace: { text: "#0  0x000055 in inner (p=0x10) at world.c:4\n#1  main () at world.c:6", truncated: false },
  backtrace_problem: null,
  versions: {
    definition: "159122f40faab519",
    executable: { path: "/srv/sim/world", size: 18_968, modified: "2026-11-20T10:00:00.000", build_id: "5b601c62", replaced: false },
    kernel: "6.12.0",
  },
};

export const NUMBERED: NumberedReport = { ...REPORT, number: 3 };
