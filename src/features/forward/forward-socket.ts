import { z } from "zod";

/**
 * Path of the WebSockets of `mgr forward`. With `?host=HOST&port=PORT` one opens a forward, which ends with it: the manager sends the frame below as text.
 * With `?forward=ID` one carries a connection of that forward (byte-channel.ts).
 */
export const FORWARD_PATH = "/mgr/forward/ws";
/** Maximum frame size, bytes. */
export const MAX_FORWARD_FRAME_BYTES = 256 * 1024;
/** Maximum number of open connections of a forward. A host has 256 streams for all purposes. */
export const MAX_FORWARD_CONNECTIONS = 64;

/** Close codes of a forward: a user or the configuration has closed it, or the manager ends, so that its client can open it again later. */
export const CLOSED_ON_PURPOSE = 1000;
export const MANAGER_ENDS = 1001;

/** Sent once, when the forward is open. */
const opened = z.object({ type: z.literal("forward_opened"), id: z.string().min(1), host: z.string().min(1) });
export type ForwardOpened = z.infer<typeof opened>;

/** Null if it is not such a frame. */
export const parseForwardOpened = (json: unknown): ForwardOpened | null => opened.safeParse(json).data ?? null;
