import type { Route } from "../route.ts";
import type { BusUpgrade } from "../server/bus-upgrade.ts";

/** `GET /mgr/bus` as plain HTTP: who is connected, who publishes what, who is too slow (docs/bus.md). Upgrades never come here. */
export function busRoute(bus: BusUpgrade): Route {
  return {
    path: "/mgr/bus",
    method: "GET",
    handle: async () => Response.json(await bus.report(), { headers: { "Cache-Control": "no-store" } }),
  };
}
