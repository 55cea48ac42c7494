import type { CliFeature } from "../../../cli/command/feature.ts";
import { COMPLETION_GROUP } from "./program.ts";

export const completionCli: CliFeature = { groups: [COMPLETION_GROUP] };
