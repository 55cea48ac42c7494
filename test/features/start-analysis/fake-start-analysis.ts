import { startAnalysisExtension } from "../../../src/features/start-analysis/manager/index.ts";
import type { ProcessStart, StartAnalysis } from "../../../src/features/start-analysis/wire.ts";

export const START: ProcessStart = {
  name: "db",
  in_last_start: true,
  outcome: "up",
  requested: "2026-11-21T08:14:00.000",
  released: "2026-11-21T08:14:00.000",
  started: "2026-11-21T08:14:00.012",
  up: "2026-11-21T08:14:02.250",
  ended: null,
  failure: null,
  after: null,
  attempts: 1,
};

export const ANALYSIS: StartAnalysis = {
  name: null,
  requested: "2026-11-21T08:14:00.000",
  settled: "2026-11-21T08:14:03.500",
  chain: [
    { name: "db", known: true, from: "2026-11-21T08:14:00.000", until: "2026-11-21T08:14:02.250" },
    { name: "web/api", known: true, from: "2026-11-21T08:14:02.250", until: "2026-11-21T08:14:03.500" },
  ],
  processes: [
    START,
    {
      ...START,
      name: "web/api",
      released: "2026-11-21T08:14:02.250",
      started: "2026-11-21T08:14:02.350",
      up: "2026-11-21T08:14:03.500",
      after: "db",
    },
    {
      ...START,
      name: "broken",
      outcome: "failed",
      started: null,
      up: null,
      ended: "2026-11-21T08:14:00.000",
      failure: "no such program",
      attempts: 2,
    },
  ],
  unknown: ["old"],
};

/** A manager that has started three processes. */
export class FakeStartAnalysis {
  readonly extension = startAnalysisExtension((name) => ({ ...ANALYSIS, name }));
}
