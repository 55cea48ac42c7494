import { z } from "zod";
import { flag, jsonValue, processName, text, timestamp } from "../../protocol/frames/field-kinds.ts";
import { clientFrames, event, managerFrames, result } from "../../protocol/frames/frame-table.ts";
import { MAX_TOOL_CHARS } from "./limits.ts";

/** What a tool may end a run for. */
const ENDS = ["stop", "restart"] as const;

const confirmation = z
  .object({
    id: z.string(),
    agent: z.string().describe("User of the agent, such as `token:NAME`."),
    tool: z.string().describe("Name of the tool that the agent has called."),
    action: z.enum(ENDS),
    name: z.string().describe("Name of the process."),
    host: z.string(),
    pid: z.int().nullable().describe("The run that would end; null: the process does not run."),
    asked: timestamp,
    until: timestamp.describe("When the call of the tool is refused, if there is no answer by then."),
  })
  .meta({ id: "Confirmation", description: "A question of an agent that waits for a person." });
export type Confirmation = z.infer<typeof confirmation>;

const tool = text(1, MAX_TOOL_CHARS).describe("Name of the tool that the agent has called.");
const key = text(1, 64).describe("Chosen by the client, for `cancel_confirmation`.");

export const mcpCommands = clientFrames("Agents", {
  ask_confirmation: {
    fields: { name: processName, action: z.enum(ENDS, { error: `must be one of ${ENDS.join(", ")}` }), tool, key },
    answer: "confirmation",
    scope: "name",
    role: "operator",
    meaning:
      "Asks a person who follows the confirmations. It is answered when the person has allowed it, and fails if the person refuses it (`forbidden`), there is no answer in time (`timeout`), no user who may answer follows them, or the run ends before (`conflict`). Nothing is done to the process.",
  },
  cancel_confirmation: {
    fields: { key },
    answer: null,
    scope: "own",
    role: "operator",
    meaning: "Withdraws a question of this connection. Nothing happens if there is none with this key.",
  },
  follow_confirmations: {
    fields: {},
    answer: null,
    scope: "own",
    role: "viewer",
    readOnly: true,
    meaning:
      "From now on, this connection receives `confirmations`, now and with each change. An access token may answer none, since a person has to.",
  },
  answer_confirmation: {
    fields: {
      name: processName,
      id: text(1, 64),
      agent: text(1, 255).describe("User of the agent, as in the question."),
      allow: flag,
    },
    answer: null,
    scope: "name",
    role: "operator",
    meaning:
      "Allows or refuses what an agent has asked for. Fails with `conflict` if the question is not open any more: then the answer has no effect. Not for access tokens.",
  },
  record_agent_call: {
    fields: {
      tool,
      name: processName.exactOptional(),
      arguments: z.record(z.string(), jsonValue, { error: "must be an object" }).describe("What the agent gave the tool, for the audit."),
    },
    answer: null,
    scope: "own",
    role: "viewer",
    meaning: "Does nothing: the audit records that an agent has called a tool.",
  },
});

export const mcpFrames = managerFrames("Agents", {
  confirmation: result(
    { name: z.string() },
    { by: z.string().describe("User who has allowed it.") },
    "A person has allowed what an agent asked for.",
  ),
  confirmations: event(
    { confirmations: z.array(confirmation).describe("The oldest first.") },
    "All open questions that this connection may answer.",
  ),
});
