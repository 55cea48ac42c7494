import type { Duplex } from "node:stream";
import type { GuiRequest } from "../gui-frames.ts";

/** A `mgr gui` that has connected. */
export interface ArrivingGui {
  readonly user: string;
  /** `<ip>:<port>`; null over the local socket. */
  readonly peer: string | null;
  /** Name of the desktop's X display. */
  readonly display: string;
  send(request: GuiRequest): void;
}

/** The desktops whose X displays can show windows of processes. */
export interface Guis {
  /** Throws `busy` if the user has too many. Call the returned function when the connection has ended: it ends the X connections, too. */
  enter(gui: ArrivingGui): () => void;
  /** Whether an X connection with this ID was requested from a `mgr gui` of `user`. */
  isAwaited(user: string, connection: string): boolean;
  /** Delivers the requested X connection. */
  deliver(user: string, connection: string, stream: Duplex): void;
}
