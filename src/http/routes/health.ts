import type { Route } from "../route.ts";

/** `GET /mgr/health`: for supervisors and load balancers, without authentication. */
export const healthRoute: Route = {
  path: "/mgr/health",
  method: "GET",
  isOpen: true,
  handle: () => new Response("ok", { headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" } }),
};
