import type { Pages } from "../../../cli/command/feature.ts";

/** Manual of `mgr crash`. */
export const CRASH_PAGES: Pages = {
  crash: {
    about: `Without a name: the newest crashes of all processes. With a name: the newest report in full. RUN is the number or the id of another
run, as --list shows them. A run that fails without a requested stop gets a report on its host: its end, the last output, lines of the
kernel, the core dump and its backtrace, the load of the last ten minutes, limits and versions. The last 20 of each process are kept;
a process that crashes again and again gets one every 10 s. Output is shown without escape sequences; --json has it as it was.
See docs/crashes.md.`,
    json: "a CrashReport, or with --list and without a name an array of CrashSummary (docs/protocol.md)",
    completes: { name: ["process"] },
    examples: [
      ["mgr crash", "the newest crashes"],
      ["mgr crash sim/world", "why a process failed last"],
      ["mgr crash sim/world --list", "its crashes"],
      ["mgr crash sim/world 12 --save crash.json", "the report of run 12 as a file; .txt writes text"],
      ["mgr crash sim/world --delete", "removes its reports"],
    ],
  },
};
