import { z } from "zod";
import { text } from "../../protocol/frames/field-kinds.ts";
import { answer, clientFrames, managerFrames } from "../../protocol/frames/frame-table.ts";

export const outputRunsCommands = clientFrames("Output", {
  request_output_ends: {
    fields: {
      after: text(1, 64)
        .describe(
          "`next` of an earlier answer: only processes that have written since. Without it, and if the manager does not know it: all.",
        )
        .exactOptional(),
    },
    answer: "output_ends",
    scope: "output",
    role: "viewer",
    readOnly: true,
    meaning:
      "Which processes have written, at most a second ago. On a focused connection, of those in view. A page requests it every few seconds to mark new output.",
  },
});

export const outputRunsFrames = managerFrames("Output", {
  output_ends: answer(
    {
      ends: z
        .array(z.object({ name: z.string(), offset: z.int(), stream_id: z.string() }))
        .describe("Where the output of each process ends; at most 1,000, the next request gets the others."),
      next: z.string().describe("For the next request."),
    },
    "Where the output of processes ends now, of those that have written.",
  ),
});
