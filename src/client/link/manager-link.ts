import type { Observable } from "rxjs";
import type { ClientFrame, ManagerFrame } from "../../protocol/frames/frames.ts";

/** State of a link. `closed` is final: the client closed it, or the refusal is permanent. */
export type ManagerLinkState =
  | { kind: "connecting"; attempt: number }
  | { kind: "open" }
  | { kind: "waiting"; attempt: number; retry_ms: number; reason: string }
  | { kind: "closed"; reason: string /** The refusal of the link. */; error?: Error };

/** A connection that carries frames to a manager: a WebSocket, or a direct link within one program. */
export interface ManagerLink {
  /** Frames from the manager, hot: nothing is kept for late subscribers. */
  readonly frames$: Observable<ManagerFrame>;
  /** Starts with the current state, also after `closed`; never completes. */
  readonly state$: Observable<ManagerLinkState>;
  /** Sends a frame. Returns false if the link is not open, or is full: the frame was not sent and will not be. */
  send(frame: ClientFrame): boolean;
  /** Whether the send buffer is full: no further frames are accepted. */
  readonly isFull: boolean;
  close(reason?: string): void;
}
