import type { CliFeature } from "../../../cli/command/feature.ts";
import { RECORD_GROUP } from "./program.ts";

export { formatOption, SPREADSHEET } from "./format-option.ts";

export const recordingsCli: CliFeature = {
  groups: [RECORD_GROUP],
  configurationNotes: async (config) => (await import("./shared-folders.ts")).sharedRecordingFolders(config),
};
