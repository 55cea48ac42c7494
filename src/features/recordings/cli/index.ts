import { resolve } from "node:path";
import type { CliFeature } from "../../../cli/command/feature.ts";
import { RECORD_GROUP } from "./program.ts";

export { formatOption, SPREADSHEET } from "./format-option.ts";

export const recordingsCli: CliFeature = {
  groups: [RECORD_GROUP],
  dataFolders: ({ base_dir, record: { path } }) => (path === null ? [] : [resolve(base_dir, path)]),
  configurationNotes: async (config) => (await import("./shared-folders.ts")).sharedRecordingFolders(config),
};
