import type { Pages } from "../../../cli/command/feature.ts";

/** Manual of `mgr mcp`. */
export const MCP_PAGES: Pages = {
  mcp: {
    about: `An agent starts this command, and ends it by closing its standard input. It offers tools to see processes, why one failed, output, log,
load, topics, parameters, and what a reload would do. They only read, unless the login is an access token with the role operator: then also to
start, stop and restart processes; before something is ended, the agent's program asks a person. The same tools are at /mgr/mcp of the
manager's port, with the access token as bearer token. See docs/agents.md.`,
    examples: [
      ["mgr mcp", "reads from the manager of this folder"],
      ["mgr token create agent --role operator --on 'sim/*'", "a token with which an agent may change processes of sim"],
      ["MGR_TOKEN_FILE=agent.token mgr mcp", "with that token"],
    ],
  },
};
