import type { CliFeature } from "../../../cli/command/feature.ts";
import { AGENT_GROUP, MCP_GROUP } from "./program.ts";

export const mcpCli: CliFeature = { groups: [MCP_GROUP, AGENT_GROUP] };
