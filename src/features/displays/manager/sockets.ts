import type { Duplex } from "node:stream";
import { messageOf } from "../../../base/errors.ts";
import { visible } from "../../../base/text/visible-text.ts";
import type { SocketRoute } from "../../../http/extension.ts";
import { refusal } from "../../../http/request/refusal.ts";
import { needsInGeneral } from "../../../http/route.ts";
import { GUI_PATH, MAX_GUI_FRAME_BYTES } from "../gui-frames.ts";
import type { Displays } from "./displays.ts";
import { deliverXConnection, registerGuiSocket } from "./gui-socket.ts";
import type { Guis } from "./guis.ts";
import { MAX_VNC_FRAME_BYTES, proxyVnc, VNC_PATH } from "./vnc-proxy.ts";
import { vncNeeds, vncStatus } from "./vnc-route.ts";

/** `/mgr/vnc/ws`: a viewer of a display. */
export function vncSocket(displays: Pick<Displays, "open">): SocketRoute {
  return {
    path: VNC_PATH,
    needs: vncNeeds,
    maxFrameBytes: MAX_VNC_FRAME_BYTES,
    isShared: true,
    hasEffects: false,
    async open({ principal, query, socket }) {
      let server: Duplex;
      try {
        server = await displays.open(principal.user, query.get("session") ?? "");
      } catch (error) {
        return refusal(vncStatus(error), visible(`${messageOf(error)}.`));
      }
      socket.once("close", () => server.destroy());
      if (socket.destroyed) server.destroy();
      return { label: { kind: "web", name: "vnc" }, serve: (ws) => proxyVnc(ws, server) };
    },
  };
}

/** `/mgr/gui/ws`: registers the X display of a desktop, or carries one X connection. */
export function guiSocket(guis: Guis): SocketRoute {
  return {
    path: GUI_PATH,
    needs: needsInGeneral("operator"),
    maxFrameBytes: MAX_GUI_FRAME_BYTES,
    isShared: false,
    hasEffects: true,
    async open({ principal, query }) {
      const { user, address } = principal;
      const connection = query.get("connection");
      if (connection !== null && !guis.isAwaited(user, connection)) return refusal(404, "No X connection with this ID is awaited.");
      return {
        label: { kind: "mgr_remote", name: user },
        serve(ws) {
          if (connection === null) registerGuiSocket(ws, guis, { user, peer: address, display: query.get("display") ?? "" });
          else deliverXConnection(ws, guis, { user, connection });
        },
      };
    },
  };
}
