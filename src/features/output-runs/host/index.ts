import type { HostFeature } from "../../../daemon/host-feature.ts";
import { ChangedEnds } from "../changed-ends.ts";
import { MAX_ENDS, type OUTPUT_RUNS_REQUESTS } from "../contract.ts";

/** Reports to the manager which processes have written. Nothing is done for each write: the ends of all rings are compared at the manager's request. */
export const outputRunsHost: HostFeature<keyof typeof OUTPUT_RUNS_REQUESTS> = {
  begin({ output }) {
    const changed = new ChangedEnds<number>((a, b) => a === b);
    return {
      service: null,
      handlers: {
        output_ends: ({ after }) => {
          for (const [name, end] of output.rings.ends()) changed.set(name, end);
          return changed.since(after, MAX_ENDS);
        },
      },
    };
  },
};
