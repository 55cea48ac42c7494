import type { CommandGroup } from "../../../cli/command/feature.ts";
import { connecting } from "../../../cli/command/option-values.ts";
import { AGENT_PAGES, MCP_PAGES } from "./manual.ts";

/** The command `mgr mcp`. */
export const MCP_GROUP: CommandGroup = {
  pages: MCP_PAGES,
  add: (program) => {
    connecting(program.command("mcp"))
      .description("serve the manager to an agent, by the Model Context Protocol on standard input and output")
      .action(async (flags) => (await import("./mcp.ts")).mcp(flags));
  },
};

/** Commands of `mgr agent`. */
export const AGENT_GROUP: CommandGroup = {
  pages: AGENT_PAGES,
  add: (program) => {
    const agent = program.command("agent").description("answer agents that ask before they end a process");
    connecting(agent.command("questions"))
      .description("list the questions that you may answer")
      .option("-f, --follow", "print each question as it comes, until Ctrl-C")
      .option("--json", "as JSON")
      .action(async (flags) => (await import("./questions.ts")).questions(flags));
    for (const [verb, allow] of [
      ["allow", true],
      ["refuse", false],
    ] as const)
      connecting(agent.command(`${verb} <id>`))
        .description(`${verb} what an agent has asked for`)
        .action(async (id, flags) => (await import("./questions.ts")).answerQuestion(id, allow, flags));
  },
};
