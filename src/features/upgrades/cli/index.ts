import type { CliFeature } from "../../../cli/command/feature.ts";
import { UPGRADE_GROUP } from "./program.ts";

export const upgradesCli: CliFeature = {
  processCommands: UPGRADE_GROUP,
  runningNotes: async (client) => (await import("./version-note.ts")).versionNotes(client),
};
