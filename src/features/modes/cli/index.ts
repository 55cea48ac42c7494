import type { CliFeature } from "../../../cli/command/feature.ts";
import { MODES_GROUP } from "./program.ts";

export const modesCli: CliFeature = { processCommands: MODES_GROUP };
