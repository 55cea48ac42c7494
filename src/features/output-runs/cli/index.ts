import type { CliFeature } from "../../../cli/command/feature.ts";
import { RUNS_GROUP } from "./program.ts";

export const outputRunsCli: CliFeature = { processCommands: RUNS_GROUP };
