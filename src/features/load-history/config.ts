import type { ConfigFeature } from "../../config/config-feature.ts";
import { defaulted } from "../../config/schema/schema-kinds.ts";
import { diskSize } from "../../config/schema/schema-values.ts";

export const loadHistoryConfig = {
  instance: {
    disk_nearly_full: defaulted(
      "Free space below which the disk with the state folder of a host counts as nearly full, for notifications. Default {}; 0 turns it off.",
      diskSize,
      "1GiB",
    ),
  },
} satisfies ConfigFeature;
