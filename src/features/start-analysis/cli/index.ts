import type { CliFeature } from "../../../cli/command/feature.ts";
import { ANALYZE_GROUP } from "./program.ts";

export const startAnalysisCli: CliFeature = { processCommands: ANALYZE_GROUP };
