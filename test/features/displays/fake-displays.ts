import { type Duplex, PassThrough } from "node:stream";
import { MgrError } from "../../../src/base/errors.ts";
import { systemClock } from "../../../src/base/timing/clock.ts";
import { ConnectedGuis } from "../../../src/features/displays/manager/connected-guis.ts";
import type { Displays, VncInfo } from "../../../src/features/displays/manager/displays.ts";
import { displaysExtension } from "../../../src/features/displays/manager/index.ts";
import type { FeatureExtension } from "../../../src/http/extension.ts";
import type { LogBook } from "../../../src/log/log-book.ts";
import type { VncSession, WebXDisplay } from "../../../src/protocol/resources/resources.ts";

/** Every user has a private display that runs; there are no configured ones. */
export class FakeDisplays implements Displays {
  readonly guis: ConnectedGuis;
  readonly extension: FeatureExtension;
  /** The other ends of opened connections by user. */
  readonly opened: { user: string; stream: Duplex }[] = [];
  /** What `open` resolves with next, once. */
  nextStream: Duplex | null = null;

  constructor(log: LogBook) {
    this.guis = new ConnectedGuis({ clock: systemClock, log });
    this.extension = displaysExtension(this, this.guis);
  }

  async info(user: string, session: string): Promise<VncInfo> {
    if (session !== "") throw new MgrError("not_found", `there is no VNC session '${session}'`);
    return {
      username: user,
      display: 20,
      display_name: ":20",
      manager_host: "testhost",
      vnc_port: 5_920,
      process: `displays/${user}`,
      process_state: "ready",
      ready: true,
      websocket_path: "/mgr/vnc/ws",
    };
  }

  async open(user: string, session: string): Promise<Duplex> {
    if (session !== "") throw new MgrError("not_found", `there is no VNC session '${session}'`);
    const stream = this.nextStream ?? new PassThrough();
    this.nextStream = null;
    this.opened.push({ user, stream });
    return stream;
  }

  sessions(): VncSession[] {
    return [];
  }

  webXDisplay(username: string): WebXDisplay {
    return { known: false, running: false, ready: false, username, display_name: "", process: "" };
  }
}
