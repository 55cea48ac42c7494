import { z } from "zod";

/**
 * Path where `mgr gui` registers the X display of a desktop: the manager sends the frames below as text. With `?connection=ID` the WebSocket carries
 * one X connection instead, in binary frames.
 */
export const GUI_PATH = "/mgr/gui/ws";
/** Maximum frame size, bytes: of text, and of the bytes of an X connection. */
export const MAX_GUI_FRAME_BYTES = 1024 * 1024;

/** Frames that the manager sends. */
const guiRequest = z.discriminatedUnion("type", [
  z.object({
    /** Sent first, and after each change. */
    type: z.literal("gui_registered"),
    username: z.string(),
    /** Whether this `mgr gui` gets new windows of its user: the one that was connected last does. */
    is_current: z.boolean(),
    /** `<ip>:<port>` of the `mgr gui` that gets new windows; null over the local socket. */
    current_peer: z.string().nullable(),
  }),
  z.object({
    /** A client of the process has connected: the manager waits for a WebSocket with this ID. */
    type: z.literal("open_x_connection"),
    connection: z.string().min(1),
    process: z.string(),
    host: z.string(),
  }),
]);
export type GuiRequest = z.infer<typeof guiRequest>;

/** Null if it is not such a frame. */
export const parseGuiRequest = (json: unknown): GuiRequest | null => guiRequest.safeParse(json).data ?? null;
