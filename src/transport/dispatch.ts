import type { ClientFrameSpec } from "../protocol/frames/frame-table.ts";
import { CLIENT_FRAMES, type ClientFrame, type ClientFrameType } from "../protocol/frames/frames.ts";
import type { CoreFrameType, TransportExtension } from "./extension.ts";
import { configHandlers } from "./handlers/config.ts";
import type { Handler, HandlerTable } from "./handlers/handler.ts";
import { loadHandlers } from "./handlers/loads.ts";
import { logHandlers, outputHandlers } from "./handlers/output-and-log.ts";
import { processHandlers } from "./handlers/process.ts";
import { snapshotHandlers } from "./handlers/snapshot.ts";

/** A handler for every frame type of the core: one that is missing does not compile. */
const CORE_HANDLERS: HandlerTable<CoreFrameType> = {
  ...snapshotHandlers,
  ...processHandlers,
  ...outputHandlers,
  ...logHandlers,
  ...configHandlers,
  ...loadHandlers,
};

/** Finds the handler of a frame. */
export type Dispatch = (frame: ClientFrame) => Handler<ClientFrameType> | undefined;

/** Finds handlers of the core and of features. The result is undefined for a frame of a feature that this manager does not have. */
export function createDispatch(extensions: readonly TransportExtension[]): Dispatch {
  const handlers: Partial<HandlerTable<ClientFrameType>> = Object.assign({}, CORE_HANDLERS, ...extensions.map((each) => each.handlers));
  // The table pairs each type with its own frame, which TypeScript cannot follow through an index.
  return (frame) => handlers[frame.type] as Handler<ClientFrameType> | undefined;
}

/** Whether a frame of this type is answered while the manager is shutting down: it changes nothing beyond its own connection. */
export function isReadOnly(type: ClientFrameType): boolean {
  const spec: ClientFrameSpec = CLIENT_FRAMES[type];
  return spec.readOnly === true;
}
