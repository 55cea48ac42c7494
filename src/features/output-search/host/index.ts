import type { HostFeature } from "../../../daemon/host-feature.ts";
import type { OUTPUT_SEARCH_REQUESTS } from "../contract.ts";
import { OutputSearches } from "./output-searches.ts";

/** Searches the output of this host's processes. */
export const outputSearchHost: HostFeature<keyof typeof OUTPUT_SEARCH_REQUESTS> = {
  begin({ output, clock }) {
    const searches = new OutputSearches({ output, clock });
    return {
      service: null,
      handlers: {
        search_output: async ({ session: _session, search, ...request }) => {
          await searches.begin(search, request);
          return {};
        },
        search_output_hits: ({ search }) => searches.next(search),
        cancel_search_output: async ({ search }) => {
          await searches.cancel(search);
          return {};
        },
      },
      managerLost: () => void searches.cancelAll(),
      close: () => searches.cancelAll(),
    };
  },
};
