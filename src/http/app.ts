import { Hono } from "hono";
import { createMiddleware } from "hono/factory";
import type { ManagerState } from "../actors/control.ts";
import type { CommandObserver } from "../base/command-observer.ts";
import { confirmationPage } from "./access/confirmation-page.ts";
import { crossOriginHeaders, preflightResponse } from "./access/cross-origin.ts";
import { type Gate, isUnproven, type Visit } from "./access/gate.ts";
import { observedRequest, refusedRequest } from "./access/observed-request.ts";
import { routeRefusal } from "./access/route-permission.ts";
import { type HttpLog, stackOf } from "./log/http-log.ts";
import { isNavigation } from "./request/browser.ts";
import { isRefusal, type Refusal, refusal, refusalResponse } from "./request/refusal.ts";
import { SECURITY_HEADERS } from "./request/security-headers.ts";
import type { Route, RouteContext, RouteEnv } from "./route.ts";

/** Maximum size of a request body, bytes; no route uses one. */
const MAX_BODY_BYTES = 64 * 1024;

export interface AppOptions {
  readonly gate: Gate;
  readonly routes: readonly Route[];
  /** Sees the requests that change something. */
  readonly observer: CommandObserver | null;
  /** The processes that exist, for permissions on groups. */
  readonly state: Pick<ManagerState, "processes" | "hasGroup">;
  readonly log: HttpLog;
}

/** Handles all plain HTTP requests. Needs no socket: `app.request("/", {headers}, bindings)`. */
export function createApp({ gate, routes, state, observer, log }: AppOptions): Hono<RouteEnv> {
  const app = new Hono<RouteEnv>();
  app.use(async (context, next) => {
    await next();
    const { headers } = context.res;
    for (const [name, value] of Object.entries(SECURITY_HEADERS)) headers.set(name, value);
    const policy = context.get("contentPolicy");
    if (policy !== undefined) headers.set("Content-Security-Policy", policy);
    const shared = crossOriginHeaders(context.req.raw.headers.get("origin"), gate.allowedOrigins);
    for (const [name, value] of Object.entries(shared)) headers.set(name, value);
    if (gate.allowedOrigins.size > 0) headers.append("Vary", "Origin");
  });
  app.use(async (context, next) => {
    if (Number(context.req.header("content-length") ?? 0) > MAX_BODY_BYTES) {
      return refusalResponse(refusal(413, `The request body is too large: at most ${MAX_BODY_BYTES} bytes.`));
    }
    return next();
  });
  app.options("*", async (context, next) => {
    const { headers, url } = context.req.raw;
    const isAllowed = gate.allowedOrigins.has(headers.get("origin") ?? "");
    if (!isAllowed || !headers.has("access-control-request-method")) return next();
    const visit: Visit = { remote: context.env.remote, url: new URL(url), isShared: true, hasEffects: false, isLogin: false };
    const refused = gate.check(headers, visit);
    return refused ? refusalResponse(refused) : preflightResponse();
  });
  for (const route of routes)
    app.on(route.method, route.path, admission(gate, state, route, observer), (context) => handle(context, route, observer));
  for (const { path, isOpen } of routes) {
    const methods = routes.filter((route) => route.path === path).flatMap(({ method }) => (method === "GET" ? ["GET", "HEAD"] : [method]));
    app.all(path, admission(gate, state, { path, needs: null, ...(isOpen ? { isOpen } : {}) }), () =>
      refusalResponse(methodNotAllowed(path, methods.join(", "))),
    );
  }
  app.all("*", admission(gate, state, { path: "*", needs: null }), (context) =>
    refusalResponse(refusal(404, `Not found: ${JSON.stringify(context.req.path)}.`)),
  );
  app.onError((error, context) => {
    log("error", `${context.req.method} ${context.req.path} failed: ${stackOf(error)}`);
    return refusalResponse(refusal(500, "Internal error. See the manager's log for details."));
  });
  return app;
}

/** A log-in is observed where its password is checked. */
async function handle(context: RouteContext, route: Route, observer: CommandObserver | null): Promise<Response> {
  const { method, headers } = context.req.raw;
  const url = new URL(context.req.url);
  const isRead = method === "HEAD" || (method === "GET" && !route.effect?.(url.searchParams));
  if (observer === null || isRead || route.isOpen || route.isLogin) return route.handle(context);
  const { principal } = context.get("admission");
  return observedRequest(observer, { method, url, headers, principal }, async () => route.handle(context));
}

type AdmittedRoute = Pick<Route, "path" | "needs" | "isOpen" | "isShared" | "isLogin" | "takesUrlToken" | "effect" | "loginPage">;

function admission(gate: Gate, state: AppOptions["state"], route: AdmittedRoute, observer: CommandObserver | null = null) {
  return createMiddleware<RouteEnv>(async (context, next) => {
    const { headers, method } = context.req.raw;
    const url = new URL(context.req.url);
    const effect = (method !== "HEAD" && route.effect?.(url.searchParams)) || null;
    const visit: Visit = {
      remote: context.env.remote,
      url,
      isShared: route.isShared ?? (method === "GET" || method === "HEAD"),
      hasEffects: effect !== null,
      isLogin: route.isLogin ?? false,
      takesUrlToken: route.takesUrlToken ?? false,
    };
    if (route.isOpen) {
      const refused = gate.check(headers, visit);
      return refused ? refusalResponse(refused) : next();
    }
    const outcome = await gate.admit(headers, visit);
    if (isRefusal(outcome)) {
      if (!isNavigation(headers)) return refusalResponse(outcome);
      if (outcome.status === 401 && route.loginPage !== undefined) return pageResponse(outcome, route.loginPage());
      return effect !== null && method === "GET" && isUnproven(outcome)
        ? pageResponse(outcome, confirmationPage(url, effect, outcome.requestToken))
        : refusalResponse(outcome);
    }
    const forbidden = routeRefusal(route, { query: url.searchParams, grants: outcome.principal.grants, state });
    if (forbidden !== null) {
      if (effect !== null || method === "POST")
        observer?.refused(...refusedRequest({ method, url, headers, principal: outcome.principal }, forbidden));
      return refusalResponse(forbidden);
    }
    context.set("admission", outcome);
    await next();
    // The cookie is read after the route, which may have changed it: a log-out ends the cookie that a log-in would set.
    const { setCookie } = context.get("admission");
    if (setCookie !== null) context.res.headers.append("Set-Cookie", setCookie);
    return undefined;
  });
}

/** A refusal with a page instead of its text. */
function pageResponse(refused: Refusal, html: string): Response {
  const { status, headers } = refusalResponse(refused);
  headers.set("Content-Type", "text/html; charset=utf-8");
  return new Response(html, { status, headers });
}

function methodNotAllowed(path: string, allowed: string) {
  return refusal(405, `Method not allowed: ${path} accepts only ${allowed}.`, { Allow: allowed });
}
