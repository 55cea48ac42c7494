import { createMcpHandler } from "@modelcontextprotocol/server";
import { inProcessLink } from "../../../app/embedded/in-process-link.ts";
import type { Principal } from "../../../base/access/principal.ts";
import type { Clock } from "../../../base/timing/clock.ts";
import { ManagerClient } from "../../../client/manager-client.ts";
import type { HttpServices } from "../../../http/extension.ts";
import { VERSION } from "../../../http/package-files.ts";
import { createMcpServer, createQuestions, mayChangeWith } from "../client/server.ts";

export interface AnswererOptions extends Pick<HttpServices, "connect"> {
  readonly clock: Clock;
}

/** Answers messages of agents, each over a connection of its own within the manager. */
export function createAnswerer({ connect, clock }: AnswererOptions): (request: Request, principal: Principal) => Promise<Response> {
  const questions = createQuestions();
  return async (request, principal) => {
    const client = new ManagerClient(inProcessLink({ connect }, { kind: "full" }, principal), { clock });
    const mayChange = mayChangeWith(principal);
    const handler = createMcpHandler(() => createMcpServer({ client, version: VERSION, mayChange, questions }), { maxSubscriptions: 0 });
    try {
      // The user is known: what the questions are bound to.
      const response = await handler.fetch(request, { authInfo: { token: "", clientId: principal.user, scopes: [] } });
      // Read here, because the connection ends with it. Each result has a bound.
      const body = await response.arrayBuffer();
      return new Response(body.byteLength === 0 ? null : body, { status: response.status, headers: response.headers });
    } finally {
      await handler.close();
      client.close();
    }
  };
}
