import type { CliFeature } from "../../../cli/command/feature.ts";
import { PLAY_GROUP } from "./program.ts";

export const replayCli: CliFeature = { groups: [PLAY_GROUP] };
