import type { ManagerState } from "../../actors/control.ts";
import { protocolJsonSchema } from "../../protocol/frames/json-schema.ts";
import { SHUTTING_DOWN } from "../access/gate.ts";
import type { Metrics } from "../metrics.ts";
import { refusal, refusalResponse } from "../request/refusal.ts";
import { needsInGeneral, type Route } from "../route.ts";
import type { BusUpgrade } from "../server/bus-upgrade.ts";

/** `GET /mgr/health`: for supervisors and load balancers, without authentication. */
export function healthRoute(state: Pick<ManagerState, "isShuttingDown">): Route {
  return {
    path: "/mgr/health",
    needs: null,
    method: "GET",
    isOpen: true,
    handle: () =>
      state.isShuttingDown
        ? refusalResponse(SHUTTING_DOWN)
        : new Response("ok", { headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" } }),
  };
}

/** `GET /mgr/metrics`: Prometheus text. */
export function metricsRoute(metrics: Metrics): Route {
  return {
    path: "/mgr/metrics",
    needs: needsInGeneral("viewer"),
    method: "GET",
    async handle() {
      return new Response(await metrics.text(), { headers: { "Content-Type": metrics.contentType, "Cache-Control": "no-store" } });
    },
  };
}

/** `GET /mgr/bus` as plain HTTP: clients, what they publish, and which of them are too slow (docs/bus.md). Upgrades never come here. */
export function busRoute(bus: BusUpgrade, brokers: () => Promise<readonly object[]>): Route {
  return {
    path: "/mgr/bus",
    needs: needsInGeneral("viewer"),
    method: "GET",
    async handle() {
      const [report, hosts] = await Promise.all([bus.report(), brokers()]);
      return Response.json({ ...report, hosts }, { headers: { "Cache-Control": "no-store" } });
    },
  };
}

/** `GET /mgr/schema`: the JSON Schema of all frames. */
export function schemaRoute(): Route {
  let text: string | null = null;
  return {
    path: "/mgr/schema",
    needs: null,
    method: "GET",
    handle() {
      text ??= JSON.stringify(protocolJsonSchema());
      return new Response(text, { headers: { "Content-Type": "application/json", "Cache-Control": "no-cache" } });
    },
  };
}

/** `GET /ws` as plain HTTP; upgrades never come here (upgrade.ts). */
export const websocketHintRoute: Route = {
  path: "/ws",
  needs: null,
  method: "GET",
  handle: () =>
    refusalResponse(refusal(426, "This endpoint accepts only WebSocket connections: use ws:// or wss://.", { Upgrade: "websocket" })),
};
