import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import { getRequestListener, RequestError } from "@hono/node-server";
import { type AppOptions, createApp } from "./app.ts";
import { stackOf } from "./log/http-log.ts";
import { refusal, refusalResponse } from "./request/refusal.ts";
import type { RemoteEnd } from "./request/remote-end.ts";

export interface RequestListenerOptions extends AppOptions {
  readonly remoteOf: (socket: Socket) => RemoteEnd;
}

/** Passes Node's requests to the app. */
export function requestListener({ remoteOf, ...options }: RequestListenerOptions) {
  const app = createApp(options);
  return getRequestListener(
    (request, env) => {
      const { incoming, outgoing } = env as { incoming: IncomingMessage; outgoing: ServerResponse };
      return app.fetch(request, { remote: remoteOf(incoming.socket), disconnect: () => outgoing.destroy() });
    },
    {
      overrideGlobalObjects: false,
      errorHandler(error) {
        if (error instanceof RequestError) return refusalResponse(refusal(400, "Malformed request URL."));
        options.log("error", `a request failed: ${stackOf(error)}`);
        return refusalResponse(refusal(500, "Internal error. See the manager's log for details."));
      },
    },
  );
}
