import { messageOf } from "../../base/errors.ts";
import type { Config } from "../../config/definition.ts";
import { PresetFolder, presetFolderOf } from "../presets/files/preset-folder.ts";

/** Sentences about modes whose presets cannot be loaded, as their files are now. */
export function presetProblems(config: Config): string[] {
  const folder = presetFolderOf(config);
  return [...config.modes].flatMap(([name, { preset }]) => {
    if (preset === null || folder === null) return [];
    try {
      new PresetFolder(folder).read(preset);
      return [];
    } catch (error) {
      return [`mode '${name}' cannot load its preset: ${messageOf(error)}`];
    }
  });
}
