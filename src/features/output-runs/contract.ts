import { z } from "zod";
import { count, session } from "../../contract/fields.ts";

/** Most processes of one answer. */
export const MAX_ENDS = 1_000;

export const OUTPUT_RUNS_REQUESTS = {
  /**
   * Where the output of each process ends, of those that have written since the answer with this `next`, those that wrote longest ago first; 0: of
   * all. If there are more than MAX_ENDS, the next request gets the others.
   */
  output_ends: {
    request: z.object({ session, after: count }),
    response: z.object({ ends: z.array(z.tuple([z.string(), count])).max(MAX_ENDS), next: count }),
  },
} as const;
