import type { CliFeature } from "../../../cli/command/feature.ts";

export const rollingRestartCli: CliFeature = {
  restartWay: {
    option: "rolling",
    meaning: "one after the other, each when the one before is ready; stop when one fails (--timeout counts for each)",
    restart: async (client, names, flags) => (await import("./rolling.ts")).restartRolling(client, names, flags),
  },
};
