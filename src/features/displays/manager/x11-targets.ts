import type { HostSession } from "../../../app/hosts/host-session.ts";
import type { NamedHosts } from "../../../app/hosts/named-hosts.ts";
import type { ProcessTable } from "../../../app/processes/process-table.ts";
import { MgrError } from "../../../base/errors.ts";
import { x11TargetText } from "../contract.ts";
import { openDisplay } from "../host/open-display.ts";
import type { X11Connection } from "../host/tunnel.ts";
import type { ConnectedGuis } from "./connected-guis.ts";
import { authorityOf } from "./display-server.ts";
import type { PrivateDisplays } from "./private-displays.ts";
import type { XDisplay } from "./x-display.ts";

/** Opens a connection to the display of a run. Rejects with a reason for the X client if there is none now. */
type OpenX11 = (display: XDisplay, process: string) => Promise<X11Connection>;

interface X11TargetsOptions {
  readonly processTable: ProcessTable;
  readonly displays: Pick<PrivateDisplays, "record" | "isReady">;
  readonly guis: Pick<ConnectedGuis, "connect">;
  readonly named: Pick<NamedHosts, "session">;
  /** Environment of the manager: DISPLAY and XAUTHORITY are its own X display. */
  readonly environment: NodeJS.ProcessEnv;
}

/** The displays that X clients can be connected to, by their kind. */
export class X11Targets {
  readonly #open: Readonly<Record<XDisplay["kind"], OpenX11>>;

  constructor({ processTable, displays, guis, named, environment }: X11TargetsOptions) {
    this.#open = {
      manager: async () => {
        const { DISPLAY: display, XAUTHORITY: authority } = environment;
        if (!display) throw new MgrError("not_running", "the manager has no X display any more: restart the process to select another one");
        return openDisplay({ display, authority: authority || null });
      },
      web: async ({ username }) => {
        const record = username === null ? null : displays.record(username);
        if (username === null || record === null || !displays.isReady(username))
          throw new MgrError("not_running", `the private display of '${username}' does not run: open it in the browser`);
        return openDisplay({ display: `:${record.display}`, authority: authorityOf(record) });
      },
      configured_vnc: async (_display, process) => {
        const { forward_x11 = null } = processTable.config.processes.get(process) ?? {};
        const target = forward_x11?.to === "vnc" ? forward_x11.process : null;
        const vnc = target === null ? null : processTable.config.processes.get(target)?.vnc;
        const server = target === null ? null : processTable.process(target);
        if (!vnc || !server) throw new MgrError("not_found", `'forward_x11_to_vnc' of process '${process}' leads to no process with 'vnc'`);
        if (server.pid === null) throw new MgrError("not_running", `process '${target}', whose display it is, does not run`);
        return openAtHost(named.session(server.host), vnc.display);
      },
      // `mgr gui` adds the cookie of the desktop by itself.
      gui: async ({ username }, process) => {
        const host = processTable.process(process)?.host ?? "";
        return { stream: await guis.connect(username ?? "", { process, host }), authorization: null };
      },
    };
  }

  connect(display: XDisplay, process: string): Promise<X11Connection> {
    return this.#open[display.kind](display, process);
  }
}

/** Opens a connection to the X server of display `:<display>` of a host. */
async function openAtHost(session: HostSession, display: number): Promise<X11Connection> {
  const ask = (id: string, stream: string) => session.link.request("x11_connect", { session: id, stream, display });
  const { end, answer } = await session.carry(x11TargetText(`:${display}`), ask);
  const { authorization } = answer;
  return { stream: end, authorization: authorization && { ...authorization, data: Buffer.from(authorization.data, "base64") } };
}
