import type { ManagerFeature } from "../../../app/feature.ts";
import type { FeatureExtension } from "../../../http/extension.ts";
import { type Confirmations, ManagerConfirmations } from "./confirmations.ts";
import { mcpHandlers } from "./handlers.ts";
import { mcpRoute } from "./route.ts";

/** Tools for agents: the Model Context Protocol on the manager's port, and the questions to a person before something is ended. */
export const mcp: ManagerFeature<null> = {
  name: "mcp",
  attach: ({ clock, log, processes }) => {
    const confirmations = new ManagerConfirmations({ clock, log, process: (name) => processes.process(name) });
    return {
      service: null,
      ...mcpExtension(confirmations),
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
      stepped: (kind, name) => {
        if (kind === "process") confirmations.stepped(name);
      },
      ending: () => confirmations.close(),
      close: () => confirmations.close(),
    };
  },
};

export function mcpExtension(confirmations: Confirmations): FeatureExtension {
  return { transport: { handlers: mcpHandlers(confirmations) } };
}
