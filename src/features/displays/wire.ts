import { z } from "zod";
import { event, managerFrames } from "../../protocol/frames/frame-table.ts";

export const displayEvents = managerFrames("Displays", {
  web_x_display_used: event(
    {
      process: z.string(),
      kind: z.literal("private"),
      display: z.string(),
      username: z.string(),
      reason: z.string().describe("`forward_x11_fallback`."),
    },
    "A process that this web client started uses the user's private display.",
  ),
});
