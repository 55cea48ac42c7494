import type { Pages } from "../../../cli/command/feature.ts";

/** Manual of `mgr usage`. */
export const USAGE_PAGES: Pages = {
  usage: {
    about: `NAMES are processes, groups (with all subgroups) or fnmatch patterns such as 'sim/*'; also a process that was removed, by its full name.
Hosts measure every 10 s, and keep this for 6 hours, and points of 5 minutes for 30 days. All figures are of a process with
everything that it has started: CPU% of one CPU, resident memory, threads, open descriptors, what was read from and written to disks, context
switches, and page faults that had to read from a disk. Blanks in a curve, null in JSON and empty cells are times at which nothing was
measured: the process or its host did not run. Times are by the clock of the host. See docs/history.md.`,
    json: "an array of ProcessLoadHistory (docs/protocol.md)",
    completes: { names: ["process", "group", "host"] },
    examples: [
      ["mgr usage sim/world", "the last hour"],
      ["mgr usage sim --since 7d --points 100", "each process of a group, over a week"],
      ["mgr usage sim/world --since 14:00 --until 14:10 --csv > load.csv", "ten minutes for a spreadsheet"],
    ],
  },
};
