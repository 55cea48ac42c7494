import type { CliFeature } from "../../../cli/command/feature.ts";
import { SHOW_GROUP } from "./program.ts";

export const runningSettingsCli: CliFeature = { processCommands: SHOW_GROUP };
