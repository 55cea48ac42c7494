import { MgrError } from "../../../base/errors.ts";
import type { HostFeature } from "../../../daemon/host-feature.ts";
import { dataPlaneHost } from "../../data-plane/host/index.ts";
import { wallClockNs } from "../../data-plane/wall-clock.ts";
import type { TOPIC_LATENCY_REQUESTS } from "../contract.ts";
import { MAX_THREADS } from "../limits.ts";
import { Measurements } from "./measurements.ts";
import { readThreads } from "./threads.ts";

/** Measures topics that programs of this host publish, while a user waits for the result. */
export const topicLatencyHost: HostFeature<keyof typeof TOPIC_LATENCY_REQUESTS> = {
  begin({ clock, use }) {
    const tap = use(dataPlaneHost);
    const measurements = tap && new Measurements(tap, clock);
    const own = () => {
      if (measurements === null) throw new MgrError("host_unavailable", "this host has no broker");
      return measurements;
    };
    return {
      service: null,
      handlers: {
        begin_latency: ({ session: _session, seconds, ...options }) => ({ id: own().begin(options, seconds) }),
        end_latency: ({ id }) => own().end(id),
        latency_threads: ({ pids }) => ({
          time: String(wallClockNs()),
          processes: pids.flatMap((pid) => {
            const threads = readThreads(pid, Math.floor(MAX_THREADS / pids.length));
            return threads === null ? [] : [{ pid, threads }];
          }),
        }),
      },
      close: () => measurements?.close(),
    };
  },
};
