import type { ConfigFeature } from "../../config/config-feature.ts";
import { defaulted } from "../../config/schema/schema-kinds.ts";
import { flag } from "../../config/schema/schema-values.ts";

export const managerRestartConfig = {
  instance: {
    restart_manager: defaulted(
      "Whether the host daemon starts a manager again that ended unexpectedly. Only for managers of 'mgr up --detach'; see docs/availability.md. Default {}.",
      flag,
      true,
    ),
  },
} satisfies ConfigFeature;
