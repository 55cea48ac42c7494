import type { CliFeature } from "../../../cli/command/feature.ts";
import { USAGE_GROUP } from "./program.ts";

export const loadHistoryCli: CliFeature = {
  processCommands: USAGE_GROUP,
  processFigures: {
    option: "usage",
    meaning: "with threads, open descriptors, and what is read from and written to disks",
    of: async (client) => (await import("./columns.ts")).usageColumns(client),
  },
  trend: { title: "CPU 2 MIN", of: async (client) => (await import("./columns.ts")).cpuTrends(client) },
};
