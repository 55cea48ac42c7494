import type { CliFeature } from "../../../cli/command/feature.ts";
import { FLIGHT_GROUP } from "./program.ts";

export const flightCli: CliFeature = { groups: [FLIGHT_GROUP] };
