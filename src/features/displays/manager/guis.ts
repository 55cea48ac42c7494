import type { Duplex } from "node:stream";
import type { GuiRequest } from "../gui-frames.ts";

/** A `mgr gui` that has connected. */
export interface ArrivingGui {
  readonly user: string;
  /** `<ip>:<port>`; null over the local socket. */
  readonly peer: string | null;
  /** Name of its X display. */
  readonly display: string;
  send(request: GuiRequest): void;
}

/** The desktops whose X displays can show windows of processes. */
export interface Guis {
  /** Throws `busy` when the user has too many. Call the result when its connection has ended: its X connections end, too. */
  enter(gui: ArrivingGui): () => void;
  /** An X connection with this ID was requested from a `mgr gui` of `user`. */
  isAwaited(user: string, connection: string): boolean;
  /** The requested X connection. */
  deliver(user: string, connection: string, stream: Duplex): void;
}
