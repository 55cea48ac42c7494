import type { Duplex } from "node:stream";
import type { VncSession, WebXDisplay } from "../../../protocol/resources/resources.ts";
import type { ConfiguredSessions } from "./configured-sessions.ts";
import type { Displays, VncInfo } from "./displays.ts";
import type { PrivateDisplays } from "./private-displays.ts";

/** All displays that can be seen in the browser. */
export class ManagerDisplays implements Displays {
  readonly #own: PrivateDisplays;
  readonly #configured: ConfiguredSessions;

  constructor(own: PrivateDisplays, configured: ConfiguredSessions) {
    this.#own = own;
    this.#configured = configured;
  }

  async info(user: string, session: string): Promise<VncInfo> {
    return session === "" ? this.#own.info(user) : this.#configured.info(session);
  }

  async open(user: string, session: string): Promise<Duplex> {
    return session === "" ? this.#own.open(user) : this.#configured.open(session);
  }

  sessions(user: string): VncSession[] {
    const own = this.#own.session(user);
    return [...this.#configured.all(), ...(own ? [own] : [])];
  }

  webXDisplay(user: string): WebXDisplay {
    return this.#own.webXDisplay(user);
  }
}
