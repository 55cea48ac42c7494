import type { CliFeature } from "../../../cli/command/feature.ts";
import { MCP_GROUP } from "./program.ts";

export const mcpCli: CliFeature = { groups: [MCP_GROUP] };
