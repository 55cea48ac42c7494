import type { CliFeature } from "../../../cli/command/feature.ts";
import { NET_GROUP } from "./program.ts";

export const networkStatisticsCli: CliFeature = { groups: [NET_GROUP] };
