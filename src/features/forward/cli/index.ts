import type { CliFeature } from "../../../cli/command/feature.ts";
import { FORWARD_GROUP } from "./program.ts";

export const forwardCli: CliFeature = { processCommands: FORWARD_GROUP };
