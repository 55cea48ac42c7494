import { z } from "zod";

const count = z.object({ msgs: z.number().min(0), bytes: z.number().min(0) });

/** Counters of one subject. */
export const handedSubject = z.object({
  subject: z.string(),
  ...count.shape,
  last_bytes: z.number().min(0),
  publishers: z.array(z.int()),
  foreign: count,
  arrived: count,
  crossing: count,
});
export type SubjectState = z.infer<typeof handedSubject>;

export const handedAnswers = z.object({ subject: z.string(), given: count, received: count });
export type AnswersState = z.infer<typeof handedAnswers>;
