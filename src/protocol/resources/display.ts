import { z } from "zod";

const session = { session_name: z.string(), vnc_port: z.int(), process: z.string() };

export const vncSession = z
  .discriminatedUnion("kind", [
    z.object({
      kind: z.literal("private"),
      session_id: z.literal(""),
      display_name: z.string(),
      ...session,
    }),
    z.object({
      kind: z.literal("configured"),
      session_id: z.string().describe("Name of the configured process."),
      node: z.string(),
      vnc_display: z.int(),
      ...session,
    }),
  ])
  .meta({ id: "VncSession" });
export type VncSession = z.infer<typeof vncSession>;

export const webXDisplay = z
  .object({
    known: z.boolean(),
    running: z.boolean(),
    ready: z.boolean(),
    username: z.string(),
    display_name: z.string(),
    process: z.string(),
  })
  .meta({ id: "WebXDisplay", description: "The private display of this connection's user." });
export type WebXDisplay = z.infer<typeof webXDisplay>;
