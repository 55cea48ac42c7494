import type { Principal } from "../../../base/access/principal.ts";
import { refusal, refusalResponse } from "../../../http/request/refusal.ts";
import type { Route } from "../../../http/route.ts";
import { MAX_REQUESTS, MAX_REQUESTS_OF_USER } from "../limits.ts";

/** `POST /mgr/mcp`: one message of an agent, answered with the permissions of its login. Nothing is kept between two messages. */
export function mcpRoute(answer: (request: Request, principal: Principal) => Promise<Response>): Route {
  const requests = new Map<string, number>();
  let all = 0;
  return {
    path: "/mgr/mcp",
    method: "POST",
    needs: null,
    effect: () => "Answer an agent",
    async handle(context) {
      const { principal } = context.get("admission");
      const own = requests.get(principal.user) ?? 0;
      if (own >= MAX_REQUESTS_OF_USER || all >= MAX_REQUESTS)
        return refusalResponse(refusal(429, `Too many requests of agents are being answered: at most ${MAX_REQUESTS_OF_USER} of a user.`));
      requests.set(principal.user, own + 1);
      all++;
      try {
        return await answer(context.req.raw, principal);
      } finally {
        all--;
        const left = (requests.get(principal.user) ?? 1) - 1;
        if (left > 0) requests.set(principal.user, left);
        else requests.delete(principal.user);
      }
    },
  };
}
