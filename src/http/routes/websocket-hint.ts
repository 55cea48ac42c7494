import { refusal, refusalResponse } from "../refusal.ts";
import type { Route } from "../route.ts";

/** `GET /ws` as plain HTTP; upgrades never come here (upgrade.ts). */
export const websocketHintRoute: Route = {
  path: "/ws",
  method: "GET",
  handle: () => refusalResponse(refusal(426, "This is a WebSocket address: connect with ws:// or wss://.", { Upgrade: "websocket" })),
};
