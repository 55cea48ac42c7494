import { Publisher } from "../base/publisher.ts";
import type { ChangeFrame } from "../protocol/frames/frames.ts";

/** A change of the manager's state. The event streams send changes of resources to clients as they are. */
export type DomainEvent =
  | ChangeFrame
  /** A process took a step that its resource does not show. Dependencies and waits are checked again. */
  | { type: "process_step"; name: string }
  /** The shape of the tree changed: processes or groups were added or removed. */
  | { type: "tree_changed" };

export class DomainEvents extends Publisher<DomainEvent> {}
