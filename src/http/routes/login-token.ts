import { LOGIN_TOKEN_MS, type LoginTokens } from "../auth/login-tokens.ts";
import { refusal, refusalResponse } from "../request/refusal.ts";
import type { Route } from "../route.ts";

/** `POST /mgr/login-token`: a token with which pages of the request's Origin open WebSockets and GET routes for a minute. */
export function loginTokenRoute(tokens: LoginTokens): Route {
  return {
    path: "/mgr/login-token",
    needs: null,
    method: "POST",
    isShared: true,
    handle(context) {
      const origin = context.req.header("origin");
      if (origin === undefined)
        return refusalResponse(refusal(400, "The request has no Origin header. The token is valid for pages of that origin."));
      const { principal, sessionId } = context.get("admission");
      if (sessionId === null || principal.via === "token")
        return refusalResponse(refusal(403, "A login token is given for a password or a session cookie."));
      const answer = { ok: true, token: tokens.issue(sessionId, origin), expires_in: LOGIN_TOKEN_MS / 1_000 };
      return context.json(answer, 200, { "Cache-Control": "no-store" });
    },
  };
}
