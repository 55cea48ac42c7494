import type { ConfigFeature } from "../../config/config-feature.ts";
import { orNull } from "../../config/schema/schema-kinds.ts";
import { path } from "../../config/schema/schema-values.ts";

export const presetsConfig = {
  instance: {
    presets_dir: orNull(
      "Folder of the presets of parameters; a relative path is below the folder of this file. Default: 'presets' beside this file.",
      path("the path of a folder"),
    ),
  },
} satisfies ConfigFeature;
