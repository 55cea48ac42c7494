import type { ManagerFeature } from "../../../app/feature.ts";
import { dataPlane } from "../../data-plane/manager/index.ts";
import { ShownLimits } from "./shown-limits.ts";

/** Topics as a sign of health: topics show the limits that processes have for them. */
export const topicHealth: ManagerFeature<null> = {
  name: "topic-health",
  attach({ config, events, processes, use }) {
    const { tables } = use(dataPlane);
    const shown = new ShownLimits({
      definitions: () => config().processes,
      checksOf: (name) => processes.checksOf(name),
      replace: (name, limits) => tables.replaceLimits(name, limits),
    });
    const subscription = events.subscribe((event) => {
      if (event.type === "process_upsert") shown.update(event.process.name);
      else if (event.type === "process_step" || event.type === "process_remove") shown.update(event.name);
    });
    return {
      service: null,
      begin: () => shown.updateAll(),
      reconfigured: () => shown.updateAll(),
      close: () => subscription(),
    };
  },
};
