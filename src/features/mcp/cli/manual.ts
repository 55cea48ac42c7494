import type { Pages } from "../../../cli/command/feature.ts";

/** Manual of `mgr mcp`. */
export const MCP_PAGES: Pages = {
  mcp: {
    about: `An agent starts this command, and ends it by closing its standard input. It offers tools to see processes, why one failed, output, log,
load, topics, parameters, and what a reload would do. They only read, unless the login is an access token with the role operator: then also to
start, stop and restart processes; before something is ended, a person is asked: by the agent's
program, or, if that cannot ask, in the manager's page and by 'mgr agent questions'. The same tools are at /mgr/mcp of the
manager's port, with the access token as bearer token. See docs/agents.md.`,
    examples: [
      ["mgr mcp", "reads from the manager of this folder"],
      ["mgr token create agent --role operator --on 'sim/*'", "a token with which an agent may change processes of sim"],
      ["MGR_TOKEN_FILE=agent.token mgr mcp", "with that token"],
    ],
  },
};

/** Manual of `mgr agent`. */
export const AGENT_PAGES: Pages = {
  agent: {
    about: `An agent whose program cannot ask its user asks those who have the manager's page open, or follow the questions here, before a process is
stopped or restarted. See docs/agents.md.`,
    examples: [
      ["mgr agent questions --follow", "waits for questions"],
      ["mgr agent allow 59e46508", "the process may be ended"],
    ],
  },
  "agent questions": {
    about: `Those about processes on which you have the role operator. While this follows them, agents can ask, also if no page is open. An
access token sees none: a person has to answer.`,
    json: "an array of Confirmation (docs/protocol.md); with --follow, one object a line",
    examples: [["mgr agent questions", "id, agent, process, and until when it waits"]],
  },
  "agent allow": {
    about: "The beginning of the id is enough. The answer is for the run that was asked about, and is recorded in the audit.",
    examples: [["mgr agent allow 59e46508", "the process may be ended"]],
  },
  "agent refuse": {
    about: "The agent's call fails with your name. The beginning of the id is enough.",
    examples: [["mgr agent refuse 59e46508", "nothing is ended"]],
  },
};
