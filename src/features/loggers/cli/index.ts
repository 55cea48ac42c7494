import type { CliFeature } from "../../../cli/command/feature.ts";
import { LOGGER_GROUP } from "./program.ts";

export const loggersCli: CliFeature = { groups: [LOGGER_GROUP] };
