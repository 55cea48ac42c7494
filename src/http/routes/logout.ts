import { sessionCookie } from "../auth/cookies.ts";
import type { Route } from "../route.ts";

/** `POST /mgr/logout`: ends the session of the request, and everything opened with it. */
export function logoutRoute(endLoginSession: (sessionId: string) => void, isHttpsOnly: boolean): Route {
  return {
    path: "/mgr/logout",
    needs: null,
    method: "POST",
    effect: () => "Log out",
    handle(context) {
      const admission = context.get("admission");
      if (admission.sessionId !== null) endLoginSession(admission.sessionId);
      context.set("admission", { ...admission, sessionId: null, setCookie: sessionCookie("", isHttpsOnly) });
      return new Response("Logged out.\n", { headers: { "Content-Type": "text/plain; charset=utf-8", "Cache-Control": "no-store" } });
    },
  };
}
