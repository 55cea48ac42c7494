import type { HostFeature } from "../../../daemon/host-feature.ts";
import { dataPlaneHost } from "../../data-plane/host/index.ts";
import { wallClockNs } from "../../data-plane/wall-clock.ts";
import type { STORE_FORWARD_REQUESTS } from "../contract.ts";
import { StoreForward } from "./store-forward.ts";

/** Keeps samples of the host while its link to the hub is cut. */
export const storeForwardHost: HostFeature<keyof typeof STORE_FORWARD_REQUESTS> = {
  name: "store-forward",
  begin({ bus, clock, folders, log, use }) {
    const tap = use(dataPlaneHost);
    const keeper =
      bus === null || tap === null || folders === null
        ? null
        : new StoreForward({ stateDir: folders.state, bus, tap, clock, now: wallClockNs, log });
    return {
      service: null,
      handlers: {
        store_forward_configure: ({ spec }) => {
          keeper?.configure(spec);
          return {};
        },
        store_forward_status: ({ topic }) => keeper?.status(topic) ?? { topics: [], other_topics: 0 },
      },
      ...(keeper === null
        ? {}
        : {
            // Samples that programs publish before that would come before those of the earlier daemon.
            ready: keeper.opened,
            close: () => keeper.close(),
            quiet: () => keeper.quiet(),
            handOver: () => {
              keeper.handOver();
              return { state: null, descriptors: {}, bytes: {} };
            },
            resume: () => keeper.resume(),
          }),
    };
  },
};
