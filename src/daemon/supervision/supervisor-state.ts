import { z } from "zod";
import { HOST_REQUESTS } from "../../contract/messages.ts";
import { runReport } from "../../contract/run.ts";
import { keptProcesses } from "./request-store.ts";

const { alone } = HOST_REQUESTS.hello.response.shape;

/** The supervision of a host whose daemon replaces its program. Times are those of the kernel's clock. */
export const supervisorState = z.object({
  start_rate: z.number().nullable(),
  began_after: z.enum(["boot", "daemon"]),
  wanted: z.array(z.tuple([z.string(), z.boolean()])),
  ends: z.array(z.object({ name: z.string(), run_id: z.string(), time: z.number() })),
  /** Processes that have not been started yet after a boot. */
  resumable: keptProcesses,
  past: z.array(runReport),
  /** The last time without a manager of which no manager knows yet. */
  last: alone,
  /** The present time without a manager; omitted: the host had one, or had lost it just before. */
  alone,
});
export type SupervisorState = z.infer<typeof supervisorState>;
