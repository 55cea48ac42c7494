import type { ManagerFeature } from "../../../app/feature.ts";
import { wallClockNs } from "../../data-plane/wall-clock.ts";
import { type HostClocks, ManagerHostClocks } from "./host-clocks.ts";

export { type ClockReadings, timed } from "./clock-measurement.ts";
export { type ClockMeasurement, offsetAt } from "./clock-offset.ts";
export type { HostClocks } from "./host-clocks.ts";

/** Measures how far the clocks of the hosts are from that of the manager, for features that compare times of several hosts. */
export const hostClocks: ManagerFeature<HostClocks> = {
  name: "host-clocks",
  attach({ clock, events, hostName, hosts }) {
    const service = new ManagerHostClocks({ clock, events, hosts, localHost: hostName, now: wallClockNs });
    return { service, close: () => service.close() };
  },
};
