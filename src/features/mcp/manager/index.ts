import type { ManagerFeature } from "../../../app/feature.ts";
import { mcpRoute } from "./route.ts";

/** Tools for agents: the Model Context Protocol on the manager's port. */
export const mcp: ManagerFeature<null> = {
  name: "mcp",
  attach: ({ clock }) => ({ service: null, http: { routes: ({ connect }) => [mcpRoute({ connect, clock })] } }),
};
