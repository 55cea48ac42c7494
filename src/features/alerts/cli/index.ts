import { visible } from "../../../base/text/visible-text.ts";
import type { CliFeature } from "../../../cli/command/feature.ts";
import { clockTime } from "../../../cli/output/process-text.ts";
import { alertReasons } from "../alert-text.ts";
import { ALERTS_GROUP } from "./program.ts";

export const alertsCli: CliFeature = {
  processCommands: ALERTS_GROUP,
  processRemarks: ({ alerts }) =>
    new Map(alerts.map((alert) => [alert.name, alertReasons(alert, { time: clockTime, text: visible }).join("; ")])),
};
