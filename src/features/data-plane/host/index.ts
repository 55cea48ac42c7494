import { MgrError } from "../../../base/errors.ts";
import type { HostFeature } from "../../../daemon/host-feature.ts";
import { type DATA_PLANE_REQUESTS, NO_DATA_PLANE } from "../contract.ts";
import { RegistryReport } from "./registry-report.ts";
import { Tap } from "./tap.ts";

export type { Tap, TapListener, TappedMessage } from "./tap.ts";

/** Reports clients, topics and services of the host. The service taps topics; null: the host has no broker. */
export const dataPlaneHost: HostFeature<keyof typeof DATA_PLANE_REQUESTS, Tap | null> = {
  name: "data-plane",
  begin({ bus, lists, log, publish, taken }) {
    const report = bus && new RegistryReport(bus.registry, { pages: lists.pages, send: (event) => publish("data_plane", event), taken });
    return {
      service: bus && new Tap(bus.registry, (msg) => log("error", msg)),
      handlers: {
        data_plane: () => report?.list() ?? NO_DATA_PLANE.data_plane,
        lose_topics: ({ topics }) => {
          report?.loseTopics(topics);
          return {};
        },
        trace_topic: ({ subject }) => {
          if (bus === null) throw new MgrError("host_unavailable", "this host has no broker");
          return { trace: bus.broker.trace(subject), quiet_ms: bus.registry.quietFor(subject) };
        },
      },
      heartbeat: () => (report === null ? {} : { data_seq: report.seq }),
      close: () => report?.close(),
      ...(report === null ? {} : { handOver: () => report.handOver() }),
    };
  },
};
