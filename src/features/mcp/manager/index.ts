import type { ManagerFeature } from "../../../app/feature.ts";
import { mcpRoute } from "./route.ts";

/** Tools for agents: the Model Context Protocol on the manager's port. */
export const mcp: ManagerFeature<null> = {
  name: "mcp",
  attach: ({ clock }) => ({
    service: null,
    http: {
      routes: ({ connect }) => {
        // Loaded with the first request: most managers never have an agent.
        const loaded = () => import("./answer.ts").then(({ createAnswerer }) => createAnswerer({ connect, clock }));
        let answerer: ReturnType<typeof loaded> | null = null;
        return [
          mcpRoute(async (request, principal) => {
            answerer ??= loaded();
            return (await answerer)(request, principal);
          }),
        ];
      },
    },
  }),
};
