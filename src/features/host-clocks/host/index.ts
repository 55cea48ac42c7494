import type { HostFeature } from "../../../daemon/host-feature.ts";
import { wallClock } from "../../data-plane/wall-clock.ts";
import type { HOST_CLOCK_REQUESTS } from "../contract.ts";
import { OwnClock } from "./own-clock.ts";

export type { OwnClock } from "./own-clock.ts";

/** Reports the time to the manager, and the offset from the manager's clock to other features. */
export const hostClocksHost: HostFeature<keyof typeof HOST_CLOCK_REQUESTS, OwnClock> = {
  begin() {
    const service = new OwnClock(wallClock);
    return { service, handlers: { host_clock: (request) => service.answer(request) } };
  },
};
