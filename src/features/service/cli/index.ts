import type { CliFeature } from "../../../cli/command/feature.ts";
import { SERVICE_GROUP } from "./program.ts";

export const serviceCli: CliFeature = { groups: [SERVICE_GROUP] };
