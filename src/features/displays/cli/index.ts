import type { CliFeature } from "../../../cli/command/feature.ts";
import { GUI_GROUP } from "./program.ts";

export const displaysCli: CliFeature = { processCommands: GUI_GROUP };
