import { z } from "zod";

/**
 * Where `mgr gui` registers the X display of a desktop: the manager sends the frames below as text. With `?connection=ID` it carries one X connection
 * instead, in binary frames.
 */
export const GUI_PATH = "/mgr/gui/ws";
/** Largest frame, bytes: of text, and of the bytes of an X connection. */
export const MAX_GUI_FRAME_BYTES = 1024 * 1024;

/** What the manager sends. */
const guiRequest = z.discriminatedUnion("type", [
  z.object({
    /** First, and after each change. */
    type: z.literal("gui_registered"),
    username: z.string(),
    /** The `mgr gui` of this user that gets new windows: the one that was connected last. */
    is_current: z.boolean(),
    /** `<ip>:<port>` of the one that does; null over the local socket. */
    current_peer: z.string().nullable(),
  }),
  z.object({
    /** A client of the process has connected: a WebSocket with this ID is awaited. */
    type: z.literal("open_x_connection"),
    connection: z.string().min(1),
    process: z.string(),
    host: z.string(),
  }),
]);
export type GuiRequest = z.infer<typeof guiRequest>;

/** Null: not such a frame. */
export const parseGuiRequest = (json: unknown): GuiRequest | null => guiRequest.safeParse(json).data ?? null;
