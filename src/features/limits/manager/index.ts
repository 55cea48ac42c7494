import type { ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { raiseCondition } from "./conditions.ts";
import { limitHandlers } from "./handlers.ts";
import type { Limits } from "./limits.ts";
import { ManagerLimits } from "./manager-limits.ts";

/** Acts when processes use more than they should: they need attention, or are restarted or stopped. */
export const limits: ManagerFeature<Limits> = {
  name: "limits",
  attach(core) {
    const service = new ManagerLimits(core);
    service.subscribe((change) => raiseCondition(core.conditions, change));
    return {
      service,
      ...limitsExtension(service),
      stepped: (kind, name) => {
        if (kind === "process") service.stepped(name);
      },
      reconfigured: () => service.reconfigure(),
      close: () => service.close(),
    };
  },
};

export function limitsExtension(service: Limits): FeatureExtension {
  return { transport: { handlers: limitHandlers(service), snapshot: ({ view }) => ({ limits: service.list(view) }) } };
}
