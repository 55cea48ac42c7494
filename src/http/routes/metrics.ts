import type { Metrics } from "../metrics.ts";
import type { Route } from "../route.ts";

/** `GET /mgr/metrics`: Prometheus text. */
export function metricsRoute(metrics: Metrics): Route {
  return {
    path: "/mgr/metrics",
    method: "GET",
    async handle() {
      return new Response(await metrics.text(), { headers: { "Content-Type": metrics.contentType, "Cache-Control": "no-store" } });
    },
  };
}
