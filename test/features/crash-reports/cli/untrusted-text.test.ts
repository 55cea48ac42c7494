import { expect, test } from "vitest";
import { listText } from "../../../../src/features/crash-reports/cli/crash.ts";
import { reportText } from "../../../../src/features/crash-reports/client/report-text.ts";
import { storedSummary } from "../../../../src/features/crash-reports/report.ts";
import { describeUntrustedText, type Places, writesOf } from "../../../support/suites/untrusted-text-suite.ts";
import { NUMBERED } from "../example-report.ts";

const LISTED = { ...storedSummary.parse(NUMBERED), size: 1, number: null };
const { kernel, versions, output } = NUMBERED;

/** Every place that prints untrusted text, and what it prints. */
const PLACES: Places = {
  "the list": (text) => listText([{ ...LISTED, name: text, host: text, reason: text }]),
  "the process": (text) => reportText({ ...NUMBERED, name: text, host: text, command: text, cwd: text, user: text, reason: text }),
  "its output": (text) => reportText({ ...NUMBERED, output: output && { ...output, text } }),
  "lines of the kernel": (text) => reportText({ ...NUMBERED, kernel: { ...kernel, lines: [{ time: NUMBERED.time, text }] } }),
  "the core dump": (text) => reportText({ ...NUMBERED, core: { path: text, size: 1 } }),
  "the backtrace": (text) => reportText({ ...NUMBERED, backtrace: { text, truncated: false } }),
  "reasons why something is missing": (text) =>
    reportText({
      ...NUMBERED,
      core: null,
      core_problem: text,
      backtrace: null,
      backtrace_problem: text,
      resources: null,
      resources_problem: text,
    }),
  "the program": (text) => {
    const { executable } = versions;
    return reportText({
      ...NUMBERED,
      versions: { definition: text, kernel: text, executable: executable && { ...executable, path: text } },
    });
  },
};

describeUntrustedText(PLACES);

/** How often each file writes to a terminal. A new place comes into the table above; then it is counted here. */
const WRITES = {
  "src/features/crash-reports/cli/crash.ts": 5,
};

test("every place that writes to a terminal is known", () => {
  expect(writesOf("src/features/crash-reports")).toEqual(WRITES);
});

test("a report as text has the end first, and each part under its title", () => {
  const text = reportText(NUMBERED);
  expect(text).toMatch(/^sim\/world: ended by SIGSEGV, core dumped\n\nEnd +2026-11-21 08:14:02 UTC\n/);
  expect(text).toContain("Last output\n  (the newest of 90.0 kB)\n  world is ready\n  step 77\n");
  expect(text).toContain("Kernel\n  08:14:02.100 world[4711]: segfault at 10");
  expect(text).toContain("Core dump\n  /srv/sim/core.4711 (451 kB)\n");
  expect(text).toContain("Backtrace\n  #0  0x000055 in inner (p=0x10) at world.c:4\n  #1 ");
  expect(text).toContain("Memory                   2.0 MiB at the end, at most 3.0 MiB\n");
  expect(text).toContain("  nofile  1024, 524288\n");
  expect(text).toContain("2 crashes between the report before and this one");
});
