import { z } from "zod";
import { hostName, integer, text } from "../../protocol/frames/field-kinds.ts";

const INT_MAX = 2_147_483_647;

/** Fields of frames about tasks: processes and threads as the kernel knows them. */
const taskId = integer(1, INT_MAX);
export const policy = integer(0, INT_MAX).describe("Linux number: 0 OTHER, 1 FIFO, 2 RR, 3 BATCH, 5 IDLE.");
export const prio = integer(-INT_MAX, INT_MAX).describe("1 to 99 for FIFO and RR, 0 for the other policies.");

export const nice = integer(-20, 19).describe("Beyond the table: nice value; left out, it stays.");

const affinitySays = "must be CPU numbers separated by commas, such as 0,1";
export const affinity = text(1, 4_096, affinitySays)
  .regex(/^ *\d{1,5} *(, *\d{1,5} *)*$/, { error: affinitySays })
  .describe("CPU numbers separated by commas.");

export const taskName = { host: hostName, pid: taskId, tid: taskId };

/** Fields of tasks in frames of the manager. */
export const taskFields = { policy: z.int(), prio: z.int(), affinity: z.string() };
