import { z } from "zod";

/** A page of loads: name of the process; CPU time so far, milliseconds; resident bytes; living processes; age of the oldest, milliseconds. */
export const loadPage = z.array(z.tuple([z.string(), z.number(), z.number(), z.number(), z.number()]));

/** CPU time that all CPUs of a machine together have been busy since it started, milliseconds. */
export const machineCpu = z.object({ busy_ms: z.number(), cpus: z.int().min(1) });
