import { MgrError, messageOf } from "../../../base/errors.ts";
import type { Route, RouteNeeds } from "../../../http/route.ts";
import type { Displays } from "./displays.ts";

const STATUS: Readonly<Record<string, 404 | 409>> = { not_found: 404, not_running: 409 };

/** `GET /mgr/vnc/info`: the address of a display. The user's private display is started if it does not run. */
export function vncInfoRoute(displays: Displays, assetHash: string): Route {
  return {
    path: "/mgr/vnc/info",
    needs: vncNeeds,
    method: "GET",
    effect: () => "Open the display",
    async handle(context) {
      const session = context.req.query("session") ?? "";
      const headers = { "Cache-Control": "no-store" };
      if (context.req.method === "HEAD") return new Response(null, { headers: { ...headers, "Content-Type": "application/json" } });
      try {
        const info = await displays.info(context.get("admission").principal.user, session);
        return context.json({ ok: true, webui_asset_hash: assetHash, ...info }, 200, headers);
      } catch (error) {
        const kind = session === "" ? "private" : "configured";
        return context.json({ ok: false, message: `${messageOf(error)}.`, kind, webui_asset_hash: assetHash }, vncStatus(error), headers);
      }
    },
  };
}

/** A viewer of a display can also type into its programs. The private display is the user's own. */
export const vncNeeds: RouteNeeds = (query) => {
  const session = query.get("session") ?? "";
  return session === "" ? { need: "operator", on: null } : { need: "typing", on: session };
};

/** HTTP status of an error of the displays. */
export function vncStatus(error: unknown): 404 | 409 | 503 {
  return error instanceof MgrError ? (STATUS[error.code] ?? 503) : 503;
}
