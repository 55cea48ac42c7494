import { expect, test } from "vitest";
import type { ShownRun } from "../../../../src/client/shown/run-list.ts";
import { runsText } from "../../../../src/features/output-runs/cli/runs-text.ts";
import { savedText } from "../../../../src/features/output-runs/cli/save-output.ts";
import { describeUntrustedText, type Places, writesOf } from "../../../support/suites/untrusted-text-suite.ts";

const run = (text: string): ShownRun => ({
  run: {
    ...{
      number: 1,
      run_id: "1-1",
      pid: 1,
      start_time: "2026-11-26T08:00:00.000",
      stop_time: "2026-11-26T08:00:05.000",
      code: null,
      signal: null,
    },
    ...{ reason: text, output_end: null },
  },
  ...{ how: text, end: text, next: text, lengthMs: 5_000, outputBytes: 1_500 },
});

/** Every place that prints untrusted text, and what it prints. */
const PLACES: Places = {
  "mgr runs": (text) => runsText([run(text)]),
  "mgr save-output": (text) => savedText(text, 5),
};

describeUntrustedText(PLACES);

/** How often each file writes to a terminal. A new place comes into the table above; then it is counted here. */
const WRITES = {
  "src/features/output-runs/cli/runs.ts": 2,
  "src/features/output-runs/cli/save-output.ts": 1,
};

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/output-runs")).toEqual(WRITES);
});

test("the list of runs has length, output and end of each run", () => {
  const [head, line] = runsText(
    [{ ...run("exit code 3"), run: { ...run("").run, reason: null }, end: "crashed", next: "started again by the restart policy" }],
    200,
  ).split("\n");
  expect(head).toMatch(/RUN +STARTED +ENDED +LENGTH +OUTPUT +HOW IT ENDED/);
  expect(line).toMatch(/ +1 +2026-11-26 .* +5\.0 s +1\.5 kB +exit code 3 \(crashed\), started again by the restart policy/);
});
