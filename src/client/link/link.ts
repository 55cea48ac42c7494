import type { Observable } from "rxjs";
import type { ClientFrame, ManagerFrame } from "../../protocol/frames/frames.ts";

/** Where a link stands. `closed` is final: closed by us, or refused in a way that trying again cannot mend. */
export type LinkState =
  | { kind: "connecting"; attempt: number }
  | { kind: "open" }
  | { kind: "waiting"; attempt: number; retry_ms: number; reason: string }
  | { kind: "closed"; reason: string /** What the link was refused with. */; error?: Error };

/** A way to a manager that carries frames: a WebSocket, or a direct connection within one program. */
export interface Link {
  /** Frames from the manager, hot: nothing is kept for late subscribers. */
  readonly frames$: Observable<ManagerFrame>;
  /** Starts with the state of the moment of subscription, also after `closed`: it never completes. */
  readonly state$: Observable<LinkState>;
  /** False if the link is not open, or is full: the frame was not sent and will not be. */
  send(frame: ClientFrame): boolean;
  /** So much waits to be sent that nothing more is taken. */
  readonly isFull: boolean;
  close(reason?: string): void;
}
