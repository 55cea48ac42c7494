import type { CliFeature } from "../../../cli/command/feature.ts";
import { PRESETS_GROUP } from "./program.ts";

export const presetsCli: CliFeature = { groups: [PRESETS_GROUP] };
