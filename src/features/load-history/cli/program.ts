import type { CommandGroup } from "../../../cli/command/feature.ts";
import { age, connecting, wholeNumber } from "../../../cli/command/option-values.ts";
import { MAX_POINTS } from "../series.ts";
import { USAGE_PAGES } from "./manual.ts";

const DEFAULT_SINCE_SECONDS = 3_600;

/** Commands about the load of processes. */
export const USAGE_GROUP: CommandGroup = {
  pages: USAGE_PAGES,
  add: (program) => {
    connecting(program.command("usage <names...>"))
      .description("show what processes used in the past: CPU, memory, threads, descriptors, disk")
      .option("--since <age>", "begin this long ago (30s, 10m, 2h, 7d) or at this time (default: 1h)", age, DEFAULT_SINCE_SECONDS)
      .option("--until <age>", "end this long ago, or at this time (default: now)", age)
      .option("--points <count>", `most points of each series, up to ${MAX_POINTS}`, wholeNumber(MAX_POINTS))
      .option("--csv", "as comma-separated values, one line per point")
      .option("--json", "as JSON")
      .action(async (names, flags) => (await import("./usage.ts")).usage(names, flags));
  },
};
