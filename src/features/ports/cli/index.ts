import type { CliFeature } from "../../../cli/command/feature.ts";

export const portsCli: CliFeature = {
  processFigures: {
    option: "ports",
    meaning: "with the TCP and UDP ports on which they listen",
    of: async (client) => (await import("./columns.ts")).portColumns(client),
  },
};
