import type { CommandGroup } from "../../../cli/command/feature.ts";
import { connecting } from "../../../cli/command/option-values.ts";
import { MCP_PAGES } from "./manual.ts";

/** The command `mgr mcp`. */
export const MCP_GROUP: CommandGroup = {
  pages: MCP_PAGES,
  add: (program) => {
    connecting(program.command("mcp"))
      .description("serve the manager to an agent, by the Model Context Protocol on standard input and output")
      .action(async (flags) => (await import("./mcp.ts")).mcp(flags));
  },
};
