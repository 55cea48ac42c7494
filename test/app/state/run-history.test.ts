import { expect, test } from "vitest";
import type { ProcessContext } from "../../../src/actors/process/process-types.ts";
import { RunHistory } from "../../../src/app/state/run-history.ts";
import type { RunReport } from "../../../src/contract/run.ts";

const report = (n: number, finalOffset: number | null): RunReport => ({
  name: "p",
  run_id: `7-${n}`,
  spec_hash: "",
  command: "",
  pid: 100 + n,
  start_time: 0,
  stop_time: finalOffset === null ? null : 1_000,
  age_ms: 0,
  ready: false,
  unhealthy: null,
  changed_file: null,
  stopping: false,
  exit: finalOffset === null ? null : { code: 1, signal: null, reason: null },
  extinct: finalOffset !== null,
  first_offset: 0,
  final_offset: finalOffset,
  rows: 24,
  cols: 80,
  memo: "",
});
const context = (run: RunReport) => ({ runId: run.run_id, run, exit: null }) as unknown as ProcessContext;
const received = (history: RunHistory) =>
  history.of("p").map(({ number, output_end }) => [number, output_end?.offset, output_end?.stream_id]);

test("runs are numbered from the first, also beyond those that are remembered, and by the next manager", () => {
  const saved: object[] = [];
  const history = new RunHistory({ saved: [], save: (end) => saved.push(end) });
  for (let n = 1; n <= 25; n++) {
    history.note("p", context(report(n, null)), "a");
    history.note("p", context(report(n, 10 * n)), "a");
  }
  expect(received(history).slice(0, 2)).toEqual([
    [25, 250, "a"],
    [24, 240, "a"],
  ]);
  const next = new RunHistory({ saved, save: () => {} });
  expect(received(next)).toEqual(received(history));
  next.note("p", context(report(26, null)), "a");
  expect(received(next)[0]).toEqual([26, undefined, undefined]);
});

test("a run's place in the output stays in that of the daemon that it ran under", () => {
  const history = new RunHistory();
  history.note("p", context(report(1, 10)), "a");
  history.note("p", context(report(1, 10)), "b");
  expect(received(history)).toEqual([[1, 10, "a"]]);
});

test("a run that the host started without a manager is not lost behind a later start that failed with the previous daemon", () => {
  const history = new RunHistory();
  const ended = report(4, 10);
  history.note("p", context(ended), "a");
  const exit = { code: null, signal: null, reason: "host daemon died", time: 2_000 };
  history.note("p", { runId: "7-5", run: ended, exit } as unknown as ProcessContext, "a");
  history.add({ ...report(4, 20), run_id: "7-4-1", start_time: 3_000 }, "b");
  history.note("p", context({ ...report(4, null), run_id: "7-4-2", start_time: 4_000 }), "b");
  expect(history.of("p").map(({ run_id }) => run_id)).toEqual(["7-4-2", "7-4-1", "7-5", "7-4"]);
});
