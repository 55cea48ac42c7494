import type { ManagerFeature } from "../../../app/feature.ts";
import { ManagerRestart } from "./manager-restart.ts";

/** A manager in the background is started again by the daemon of its machine when it ended unexpectedly. */
export const managerRestart: ManagerFeature<null> = {
  name: "manager-restart",
  attach({ launch, ...core }) {
    if (launch === null) return { service: null };
    const restart = new ManagerRestart({ ...core, launch });
    return {
      service: null,
      started: () => restart.started(),
      ending: () => restart.ending(),
      reconfigured: () => restart.reconfigured(),
      close: () => restart.close(),
    };
  },
};
