import type { CliFeature } from "../../../cli/command/feature.ts";
import { IMPORT_GROUP } from "./program.ts";

export const importCli: CliFeature = {
  groups: [IMPORT_GROUP],
  importer: {
    find: async (folder) => (await import("./recognise.ts")).foundIn(folder).map(({ path }) => path),
    sections: async (path, target) => (await import("./import.ts")).importedSections(path, target),
  },
};
