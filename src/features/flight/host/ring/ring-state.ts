import { z } from "zod";

const count = z.int().min(0);
const nanoseconds = z.string().regex(/^\d{1,20}$/);

/** A block of the ring for the next program; its bytes are handed over beside it. Times without a unit are by the clock of the kernel. */
export const blockState = z.object({
  number: count,
  messages: count,
  saved: count,
  savedMessages: count,
  first: nanoseconds,
  last: nanoseconds,
  begunAt: z.number(),
  lastAt: z.number(),
});
export type BlockState = z.infer<typeof blockState>;
