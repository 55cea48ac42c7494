import type { HostFeature } from "../../../daemon/host-feature.ts";
import { wallClock } from "../../data-plane/wall-clock.ts";
import type { HOST_CLOCK_REQUESTS } from "../contract.ts";
import { OwnClock } from "./own-clock.ts";

export type { OwnClock } from "./own-clock.ts";

/** Tells the manager the time, and other features how far this clock is from that of the manager. */
export const hostClocksHost: HostFeature<keyof typeof HOST_CLOCK_REQUESTS, OwnClock> = {
  begin() {
    const service = new OwnClock(wallClock);
    return { service, handlers: { host_clock: (request) => service.answer(request) } };
  },
};
