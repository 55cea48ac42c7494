import type { CliFeature } from "../../../cli/command/feature.ts";

export const managerRestartCli: CliFeature = {
  managerAbsence: async (stateDir) => (await import("./absence.ts")).absence(stateDir),
};
