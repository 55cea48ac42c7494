import type { ManagerState } from "../../actors/control.ts";
import { SHUTTING_DOWN } from "../access/gate.ts";
import { refusalResponse } from "../access/refusal.ts";
import type { Route } from "../route.ts";

/** `GET /mgr/health`: for supervisors and load balancers, without authentication. */
export function healthRoute(state: Pick<ManagerState, "isShuttingDown">): Route {
  return {
    path: "/mgr/health",
    method: "GET",
    isOpen: true,
    handle: () =>
      state.isShuttingDown
        ? refusalResponse(SHUTTING_DOWN)
        : new Response("ok", { headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" } }),
  };
}
