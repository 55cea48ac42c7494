import { messageOf } from "../../../../base/errors.ts";
import { schemeOf } from "../../../../http/access/host-check.ts";
import type { HttpServices } from "../../../../http/extension.ts";
import { refusal, refusalResponse } from "../../../../http/request/refusal.ts";
import { needsInGeneral, type Route, type RouteContext } from "../../../../http/route.ts";
import { WEB_PORTS_PATH, type WebPortsAnswer } from "../../web-ports-route.ts";
import { forwardRefusal } from "../forward-refusal.ts";
import type { ManagerForwards } from "../manager-forwards.ts";
import { portOf } from "../socket.ts";
import type { WebPorts } from "./web-ports.ts";

const NO_STORE = { "Cache-Control": "no-store" };

/** `/mgr/forward/web`: which ports of a host this page can open (GET), and the address at which a browser opens one (POST). */
export function webPortRoutes(webPorts: WebPorts, forwards: ManagerForwards, { followers }: HttpServices): Route[] {
  const names: Route = {
    path: WEB_PORTS_PATH,
    method: "GET",
    needs: null,
    handle(context) {
      const { query, page } = partsOf(context);
      return context.json(answerFor(query.get("host") ?? "", page, context), 200, NO_STORE);
    },
  };
  const open: Route = {
    path: WEB_PORTS_PATH,
    method: "POST",
    needs: needsInGeneral("operator"),
    effect: () => "Open the port",
    handle(context) {
      const { principal, sessionId } = context.get("admission");
      if (principal.via === "token") return refusalResponse(refusal(403, "Ports are opened from the page of the manager."));
      const { query, page } = partsOf(context);
      const scheme = schemeOf(context.req.header("x-forwarded-proto") ?? null, context.env.remote.isSecure);
      try {
        const target = { page, scheme, host: query.get("host") ?? "", port: portOf(query.get("port") ?? "") };
        return context.json({ url: webPorts.ticket({ principal, sessionId }, target, followers) }, 200, NO_STORE);
      } catch (error) {
        return refusalResponse(forwardRefusal(error));
      }
    },
  };
  return [names, open];

  function answerFor(host: string, page: string, context: RouteContext): WebPortsAnswer {
    try {
      const found = webPorts.nameFor(page, host);
      return { name: found.name, reason: null, ports: [...forwards.reachable(context.get("admission").principal, found.host)] };
    } catch (error) {
      return { name: null, reason: messageOf(error), ports: [] };
    }
  }
}

function partsOf(context: RouteContext): { readonly query: URLSearchParams; readonly page: string } {
  return { query: new URL(context.req.url).searchParams, page: context.req.header("host") ?? "" };
}
