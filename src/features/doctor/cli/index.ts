import type { CliFeature } from "../../../cli/command/feature.ts";
import { DOCTOR_GROUP } from "./program.ts";

export const doctorCli: CliFeature = { groups: [DOCTOR_GROUP] };
