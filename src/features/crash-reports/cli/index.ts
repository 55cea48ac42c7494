import type { CliFeature } from "../../../cli/command/feature.ts";
import { CRASH_GROUP } from "./program.ts";

export const crashReportsCli: CliFeature = { processCommands: CRASH_GROUP };
