import type { CliFeature } from "../../../cli/command/feature.ts";
import { GREP_GROUP } from "./program.ts";

export const outputSearchCli: CliFeature = { processCommands: GREP_GROUP };
