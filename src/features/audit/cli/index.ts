import type { CliFeature } from "../../../cli/command/feature.ts";
import { AUDIT_GROUP } from "./program.ts";

export const auditCli: CliFeature = { processCommands: AUDIT_GROUP };
