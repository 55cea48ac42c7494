import { Publisher } from "../base/publisher.ts";
import type { ChangeFrame } from "../protocol/frames/frames.ts";
import type { ProcessState } from "../protocol/resources/resources.ts";

/** A change of the manager's state. The event streams send changes of resources to clients as they are. */
export type DomainEvent =
  | ChangeFrame
  /** A process took a step that its resource does not show, or its host has checked it. Dependencies and waits are checked again. */
  | { type: "process_step"; name: string }
  /**
   * A process has changed its state, and its resource was published. `from` null: a new manager found it in this state. `reason`: why it failed,
   * where that is known.
   */
  | { type: "process_transition"; name: string; from: ProcessState | null; to: ProcessState; reason: string | null }
  /** The shape of the tree changed: processes or groups were added or removed. */
  | { type: "tree_changed" };

export class DomainEvents extends Publisher<DomainEvent> {}
