import type { ClientFrame, ClientFrameType } from "../protocol/frames/frames.ts";
import { configHandlers } from "./handlers/config.ts";
import { groupHandlers } from "./handlers/group.ts";
import type { Handler, HandlerTable } from "./handlers/handler.ts";
import { logHandlers } from "./handlers/log.ts";
import { outputHandlers } from "./handlers/output.ts";
import { processHandlers } from "./handlers/process.ts";
import { snapshotHandlers } from "./handlers/snapshot.ts";
import { taskHandlers } from "./handlers/task-list.ts";
import { notYetHandlers } from "./unavailable.ts";

/** A handler for every frame type: one that is missing does not compile. */
const HANDLERS: HandlerTable<ClientFrameType> = {
  ...snapshotHandlers,
  ...processHandlers,
  ...groupHandlers,
  ...outputHandlers,
  ...logHandlers,
  ...configHandlers,
  ...taskHandlers,
  ...notYetHandlers,
};

/** The handler of a decoded frame: the decoder has checked that `type` is a key. */
export function handlerOf(frame: ClientFrame): Handler<ClientFrameType> {
  // The table pairs each type with its own frame, which TypeScript cannot follow through an index.
  return HANDLERS[frame.type] as Handler<ClientFrameType>;
}
