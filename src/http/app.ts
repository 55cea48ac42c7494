import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type { Gate } from "./access/gate.ts";
import { isRefusal, refusal, refusalResponse } from "./access/refusal.ts";
import { SECURITY_HEADERS } from "./access/security-headers.ts";
import { type HttpLog, stackOf } from "./log/http-log.ts";
import type { Route, RouteEnv } from "./route.ts";

/** No route takes a body of any size, bytes. */
const MAX_BODY_BYTES = 64 * 1024;

export interface AppOptions {
  readonly gate: Gate;
  readonly routes: readonly Route[];
  readonly log: HttpLog;
}

/** All plain HTTP. Needs no socket: `app.request("/", {headers}, bindings)`. */
export function createApp({ gate, routes, log }: AppOptions): Hono<RouteEnv> {
  const app = new Hono<RouteEnv>();
  app.use(async (context, next) => {
    await next();
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) context.res.headers.set(name, value);
  });
  app.use(async (context, next) => {
    if (Number(context.req.header("content-length") ?? 0) > MAX_BODY_BYTES) {
      return refusalResponse(refusal(413, `The request body is too large: at most ${MAX_BODY_BYTES} bytes.`));
    }
    return next();
  });
  for (const route of routes) {
    const admit = admission(gate, route);
    app.on(route.method, route.path, admit, (context) => route.handle(context));
    app.all(route.path, admit, () => refusalResponse(methodNotAllowed(route)));
  }
  app.all("*", admission(gate, {}), (context) => refusalResponse(refusal(404, `Not found: ${JSON.stringify(context.req.path)}.`)));
  app.onError((error, context) => {
    log("error", `${context.req.method} ${context.req.path} failed: ${stackOf(error)}`);
    return refusalResponse(refusal(500, "Internal error. See the manager's log for details."));
  });
  return app;
}

function admission(gate: Gate, route: Pick<Route, "isOpen" | "hasEffects" | "loginPage">) {
  const hasEffects = route.hasEffects ?? false;
  return createMiddleware<RouteEnv>(async (context, next) => {
    const { headers, url } = context.req.raw;
    const { pathname, search } = new URL(url);
    const visit = { remote: context.env.remote, target: pathname + search, hasEffects };
    if (route.isOpen) {
      const refused = gate.check(headers, visit);
      return refused ? refusalResponse(refused) : next();
    }
    const outcome = await gate.admit(headers, visit);
    if (isRefusal(outcome)) {
      const asksForLogin = outcome.status === 401 && route.loginPage && isNavigation(headers);
      return asksForLogin ? route.loginPage() : refusalResponse(outcome);
    }
    context.set("admission", outcome);
    await next();
    // Read after the route, which may have changed it: a log-out ends the cookie that a log-in would set.
    const { setCookie } = context.get("admission");
    if (setCookie !== null) context.res.headers.append("Set-Cookie", setCookie);
    return undefined;
  });
}

/** Whether a browser opens the address in a tab or window. Over plain HTTP it sends no Sec-Fetch headers. */
function isNavigation(headers: Headers): boolean {
  if (headers.has("authorization")) return false;
  const mode = headers.get("sec-fetch-mode");
  if (mode !== null) return mode === "navigate" && headers.get("sec-fetch-dest") === "document";
  return headers.get("upgrade-insecure-requests") === "1" && (headers.get("accept") ?? "").startsWith("text/html");
}

function methodNotAllowed({ path, method }: Route) {
  const allowed = method === "GET" ? "GET, HEAD" : method;
  return refusal(405, `Method not allowed: ${path} accepts only ${allowed}.`, { Allow: allowed });
}
