import type { ClientFrame, ClientFrameType } from "../protocol/frames.ts";
import { groupHandlers } from "./handlers/group.ts";
import type { FrameOf, Handler } from "./handlers/handler.ts";
import { logHandlers } from "./handlers/log.ts";
import { outputHandlers } from "./handlers/output.ts";
import { processHandlers } from "./handlers/process.ts";
import { snapshotHandlers } from "./handlers/snapshot.ts";
import { notYetHandlers } from "./unavailable.ts";

/** A handler for every frame type: one that is missing does not compile. */
const HANDLERS: { readonly [T in ClientFrameType]: Handler<FrameOf<T>> } = {
  ...snapshotHandlers,
  ...processHandlers,
  ...groupHandlers,
  ...outputHandlers,
  ...logHandlers,
  ...notYetHandlers,
};

/** The handler of a decoded frame. The decoder has checked that `type` is a key. */
export function handlerOf(frame: ClientFrame): Handler<ClientFrame> {
  // The table pairs each type with its own frame, which TypeScript cannot follow through an index.
  return HANDLERS[frame.type] as Handler<ClientFrame>;
}
