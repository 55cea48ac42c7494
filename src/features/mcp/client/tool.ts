import {
  acceptedContent,
  type CallToolResult,
  type InputRequiredResult,
  inputRequired,
  type McpServer,
  type RequestStateCodec,
  type ServerContext,
} from "@modelcontextprotocol/server";
import { z } from "zod";
import { MgrError, messageOf } from "../../../base/errors.ts";
import type { ManagerClient } from "../../../client/manager-client.ts";
import { confirmedInPage, type End } from "./confirmation.ts";

/** A tool for agents: a request to the manager with a result that they can read. */
export interface ToolDefinition<Input extends z.ZodObject> {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly input: Input;
  /** Whether it changes something, so that it is only offered with an access token that allows changes. */
  readonly changes?: true;
  /** The question for a person before the tool runs, because it ends something. Left out: it ends nothing. */
  readonly question?: (client: ManagerClient, input: z.infer<Input>) => Promise<Question>;
  readonly run: (client: ManagerClient, input: z.infer<Input>, signal: AbortSignal) => Promise<object>;
}

export interface Question {
  readonly text: string;
  readonly end: End;
}

export interface ToolContext {
  readonly client: ManagerClient;
  /** Signs questions, so that an answer counts only for the question that was asked. */
  readonly questions: RequestStateCodec<string>;
}

export interface Tool {
  readonly changes: boolean;
  readonly register: (server: McpServer, context: ToolContext) => void;
}

/** Largest result, characters: more than that would fill the context of most models. */
const MAX_RESULT = 200_000;
const ANSWER = z.object({ confirm: z.boolean().describe("Yes, do it.") });

export function tool<Input extends z.ZodObject>(definition: ToolDefinition<Input>): Tool {
  const { name, title, description, input, changes = false, question, run } = definition;
  return {
    changes,
    register(server, context) {
      const annotations = { readOnlyHint: !changes, destructiveHint: question !== undefined, openWorldHint: false };
      server.registerTool(name, { title, description, inputSchema: z.strictObject(input.shape), annotations }, async (given, ctx) => {
        try {
          // The server has validated it by the same fields.
          const wanted = given as z.infer<Input>;
          const { client } = context;
          const { signal } = ctx.mcpReq;
          // Recorded while the tool runs: reading does not wait for the disk.
          const recorded = recordCall(client, name, wanted);
          const act = async () => {
            const asked = await question?.(client, wanted);
            if (asked !== undefined) {
              if (server.server.getClientCapabilities()?.elicitation === undefined) await confirmedInPage(client, name, asked.end, signal);
              else {
                const refused = await unanswered(asked, ctx, context);
                if (refused !== null) return refused;
              }
            }
            return resultOf(await run(client, wanted, signal));
          };
          const [result] = await Promise.all([act(), recorded]);
          return result;
        } catch (error) {
          if (error instanceof MgrError) return failure(`${error.message} (${error.code})`);
          return failure(messageOf(error));
        }
      });
    },
  };
}

/** Asks the question, or refuses; null: a person has confirmed it. */
async function unanswered(
  { text, end }: Question,
  context: ServerContext,
  { questions }: ToolContext,
): Promise<CallToolResult | InputRequiredResult | null> {
  const { inputResponses, requestState } = context.mcpReq;
  const about = JSON.stringify(end);
  if (inputResponses?.confirm === undefined || requestState<string>() !== about) {
    const confirm = inputRequired.elicit({ message: text, requestedSchema: ANSWER });
    return inputRequired({ inputRequests: { confirm }, requestState: await questions.mint(about, context) });
  }
  return acceptedContent(inputResponses, "confirm", ANSWER)?.confirm === true
    ? null
    : failure("A person did not confirm it. Nothing was changed.");
}

/** Lets the manager record the call in its audit. Rejects if the audit has to have it, and cannot. */
async function recordCall(client: ManagerClient, tool: string, given: Record<string, unknown>): Promise<void> {
  const { name, ...others } = given;
  const call = typeof name === "string" ? { name, arguments: others } : { arguments: given };
  try {
    await client.request({ type: "record_agent_call", tool, ...call });
  } catch (error) {
    // A manager of an earlier version does not have it.
    if (!(error instanceof MgrError && error.code === "unknown_action")) throw error;
  }
}

function resultOf(value: object): CallToolResult {
  const text = JSON.stringify(value, null, 1);
  if (text.length > MAX_RESULT)
    return failure(
      `The result has ${text.length} characters, more than ${MAX_RESULT}. Ask for less: give names, a pattern or a smaller limit.`,
    );
  return { content: [{ type: "text", text }] };
}

function failure(text: string): CallToolResult {
  return { isError: true, content: [{ type: "text", text }] };
}
