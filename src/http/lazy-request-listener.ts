import type { IncomingMessage, ServerResponse } from "node:http";
import { NO_HOST } from "./access/gate.ts";
import { stackOf } from "./log/http-log.ts";
import { refusal, refuse } from "./request/refusal.ts";
import type { RequestListenerOptions } from "./request-listener.ts";

/**
 * Passes Node's requests to the app, which is loaded on the first request: with Node's `fetch` it would add 9 MiB and 30 ms to a start, and a
 * manager without a browser does not need it. Never throws.
 */
export function lazyRequestListener(options: RequestListenerOptions) {
  let listener: Promise<(request: IncomingMessage, response: ServerResponse) => unknown> | null = null;
  const loaded = async (request: IncomingMessage, response: ServerResponse) => {
    try {
      listener ??= import("./request-listener.ts").then((module) => module.requestListener(options));
      const listen = await listener;
      await listen(request, response);
    } catch (error) {
      // The installation below this manager was replaced or removed.
      listener = null;
      options.log("error", `a request cannot be served: ${stackOf(error)}`);
      if (response.headersSent) response.destroy();
      else refuse(response, UNLOADED);
    }
  };
  return (request: IncomingMessage, response: ServerResponse) => {
    // The client disconnected during its request: the answer is dropped.
    request.on("error", () => response.destroy());
    // Without a Host header there is no URL for the request.
    if (request.headers.host === undefined) return refuse(response, NO_HOST);
    void loaded(request, response);
  };
}

const UNLOADED = refusal(
  503,
  "The manager cannot load its web interface. Its installation was changed: restart the manager, or see its log.",
);
