import type { ConfigFeature } from "../../config/config-feature.ts";
import { orNull } from "../../config/schema/schema-kinds.ts";
import { replicaCount } from "./count.ts";
import { multiply } from "./multiply.ts";

export const replicasConfig = {
  process: {
    replicas: orNull(
      "Runs the process this many times, as NAME/1, NAME/2 and so on. {index} in its texts and in those of its templates is replaced by the number of each, {index+8000} by that number plus 8000. See docs/replicas.md.",
      replicaCount,
    ),
  },
  multiply,
} satisfies ConfigFeature;
