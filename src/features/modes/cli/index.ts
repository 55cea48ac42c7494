import type { CliFeature } from "../../../cli/command/feature.ts";
import { presetProblems } from "../preset-problems.ts";
import { MODES_GROUP } from "./program.ts";

export const modesCli: CliFeature = { processCommands: MODES_GROUP, configurationNotes: async (config) => presetProblems(config) };
