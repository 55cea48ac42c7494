import { z } from "zod";
import { incidentId } from "../../contract.ts";

/** State of triggers that have fired, for the next program. Times are by the clock of the kernel, milliseconds. */
export const starterState = z.object({
  fired: z.array(z.object({ name: z.string(), incident: incidentId, at: z.number(), last: z.array(z.tuple([z.string(), z.number()])) })),
  begun: z.array(z.number()),
});
export type StarterState = z.infer<typeof starterState>;
