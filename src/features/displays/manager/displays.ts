import type { Duplex } from "node:stream";
import type { ProcessState, VncSession, WebXDisplay } from "../../../protocol/resources/resources.ts";

interface VncFacts {
  readonly display_name: string;
  readonly process: string;
  readonly process_state: ProcessState;
  readonly vnc_port: number;
  /** Whether a viewer can connect. */
  readonly ready: boolean;
  readonly websocket_path: string;
}

/** The response of `/mgr/vnc/info`, without `ok` and the page's hash. */
export type VncInfo =
  | (VncFacts & { readonly username: string; readonly display: number; readonly manager_host: string })
  | (VncFacts & { readonly kind: "configured"; readonly node: string; readonly host: string; readonly vnc_display: number });

/**
 * Displays that can be seen in the browser. `session` is "" for the user's own private display, else the name of a process with `vnc`. Rejections
 * are MgrError: `not_found` (no such session), `not_running`, or another code with the reason.
 */
export interface Displays {
  /** Starts the private display if it does not run. */
  info(user: string, session: string): Promise<VncInfo>;
  /** Opens a connection to the VNC server, which speaks RFB. */
  open(user: string, session: string): Promise<Duplex>;
  /** The configured sessions, and the private one of `user` if there is one. */
  sessions(user: string): VncSession[];
  /** The private display of `user`; starts nothing. */
  webXDisplay(user: string): WebXDisplay;
}
