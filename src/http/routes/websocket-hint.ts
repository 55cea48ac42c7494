import { refusal, refusalResponse } from "../access/refusal.ts";
import type { Route } from "../route.ts";

/** `GET /ws` as plain HTTP; upgrades never come here (upgrade.ts). */
export const websocketHintRoute: Route = {
  path: "/ws",
  method: "GET",
  handle: () =>
    refusalResponse(refusal(426, "This endpoint accepts only WebSocket connections: use ws:// or wss://.", { Upgrade: "websocket" })),
};
