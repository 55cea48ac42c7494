import type { CliFeature } from "../../../cli/command/feature.ts";
import { NOTIFICATION_GROUP } from "./program.ts";

export const notificationsCli: CliFeature = {
  processCommands: NOTIFICATION_GROUP,
  ringsBell: (frame) => frame.type === "notification" && frame.way === "bell",
};
